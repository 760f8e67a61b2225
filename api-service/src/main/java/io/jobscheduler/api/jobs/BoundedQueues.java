package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What this process remembers of queues of bounded depth, so as to spare statements: that they are
 * bounded, and that one was full within the last second. Forgetting costs a statement; nothing is
 * decided wrongly for longer than that second. Thread-safe.
 */
@ApplicationScoped
class BoundedQueues {
  /** For so long a queue that was found full refuses without being counted again. */
  static final int FULL_SECONDS = 1;

  private static final int MOST = 10_000;
  private static final long NOT_FULL = Long.MIN_VALUE;

  private record Name(int projectId, String queue) {}

  // When it was found full, in nanoseconds.
  private final Map<Name, Long> queues = new ConcurrentHashMap<>();
  private final LongSupplier nanoClock;

  BoundedQueues() {
    this(System::nanoTime);
  }

  BoundedQueues(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Whether one of these is remembered as bounded. */
  boolean any(int projectId, List<JobRequest> jobs) {
    return !queues.isEmpty()
        && jobs.stream().anyMatch(j -> queues.containsKey(new Name(projectId, j.queue())));
  }

  /** The first that was full just now. */
  Optional<String> full(int projectId, List<JobRequest> jobs) {
    long now = nanoClock.getAsLong();
    return queues.isEmpty()
        ? Optional.empty()
        : jobs.stream()
            .map(JobRequest::queue)
            .filter(
                q -> {
                  Long at = queues.get(new Name(projectId, q));
                  return at != null && at != NOT_FULL && now - at < FULL_SECONDS * 1_000_000_000L;
                })
            .findFirst();
  }

  void bounded(int projectId, Set<String> names) {
    if (queues.size() > MOST) {
      queues.clear();
    }
    names.forEach(q -> queues.putIfAbsent(new Name(projectId, q), NOT_FULL));
  }

  void foundFull(int projectId, String queue) {
    queues.put(new Name(projectId, queue), nanoClock.getAsLong());
  }
}
