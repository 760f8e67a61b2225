package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Stores jobs and, after the commit, tells who waits for them. */
@ApplicationScoped
class Enqueuer {
  // The leader looks so far ahead by itself; only what is due sooner needs a word.
  private static final Duration LEADER_LOOKS_AHEAD = Duration.ofMinutes(10);

  private final EnqueueStore store;
  private final Signals signals;

  Enqueuer(EnqueueStore store, Signals signals) {
    this.store = store;
    this.signals = signals;
  }

  /**
   * Stores all jobs or none.
   *
   * @param single whether the request was one job, not a list: decides the pointers of errors
   * @throws io.jobscheduler.api.problem.ProblemException 422 naming each unknown queue, 403 naming
   *     one that a key is not for
   */
  List<EnqueueStore.Enqueued> enqueue(Grant grant, List<JobRequest> jobs, boolean single) {
    grant.requireQueues(jobs.stream().map(JobRequest::queue).collect(Collectors.toSet()));
    List<EnqueueStore.Enqueued> stored =
        store
            .enqueueJobs(grant.projectId(), jobs)
            .orElseGet(
                () -> {
                  nameUnknownQueues(grant, jobs, single).throwIfAny();
                  // The queue has come into being meanwhile: once more.
                  return store.enqueueJobs(grant.projectId(), jobs).orElseThrow();
                });
    tell(grant, stored);
    return stored;
  }

  private Violations nameUnknownQueues(Grant grant, List<JobRequest> jobs, boolean single) {
    Set<String> named = jobs.stream().map(JobRequest::queue).collect(Collectors.toSet());
    Set<String> known = store.knownQueues(grant.projectId(), named);
    Violations violations = new Violations();
    for (int i = 0; i < jobs.size(); i++) {
      String queue = jobs.get(i).queue();
      if (!known.contains(queue)) {
        violations.add(
            single ? "/queue" : "/" + i + "/queue", "The project has no queue \"" + queue + "\".");
      }
    }
    return violations;
  }

  private void tell(Grant grant, List<EnqueueStore.Enqueued> stored) {
    Map<List<Integer>, EnqueueStore.Enqueued> first = new HashMap<>();
    Instant due = Instant.MAX;
    for (EnqueueStore.Enqueued job : stored) {
      if (job.state().equals("ready")) {
        // The smallest place of each lane; ids grow, so among equal keys the first one is it.
        first.merge(
            List.of(job.queueId(), job.lane()),
            job,
            (a, b) -> a.dispatchKey() <= b.dispatchKey() ? a : b);
      } else if (job.runAt() != null) {
        due = job.runAt().isBefore(due) ? job.runAt() : due;
      }
    }
    first.values().forEach(j -> signals.ready(j.queueId(), j.lane(), j.dispatchKey(), j.id()));
    if (due.isBefore(Instant.now().plus(LEADER_LOOKS_AHEAD))) {
      signals.due(due);
    }
    signals.changed(grant.project(), Topic.JOBS);
  }
}
