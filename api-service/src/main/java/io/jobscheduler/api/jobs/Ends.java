package io.jobscheduler.api.jobs;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Requests that wait for the end of a job. One statement per 100 ms looks for all of them together,
 * and none while nobody waits; no thread and no connection is held for a waiting request.
 * Thread-safe.
 */
@ApplicationScoped
class Ends {
  /** The most that wait in one process at a time. */
  static final int MOST = 1_000;

  private static final Logger LOG = Logger.getLogger(Ends.class);
  private static final long PERIOD_MILLIS = 100;

  private record Waiter(long job, CompletableFuture<Void> end) {}

  private final JobStore store;
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "jobs-ends"));

  Ends(JobStore store) {
    this.store = store;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @PreDestroy
  void close() {
    clock.shutdownNow();
    waiters.forEach(w -> w.end().complete(null));
  }

  /**
   * Completes when the job has ended or {@code most} has passed, whichever is first; on a thread
   * that must not be blocked. Empty when too many wait already.
   */
  Optional<CompletableFuture<Void>> of(long job, Duration most) {
    if (waiters.size() >= MOST) {
      return Optional.empty();
    }
    Waiter waiter =
        new Waiter(
            job,
            new CompletableFuture<Void>()
                .completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS));
    waiters.add(waiter);
    waiter.end().whenComplete((unused, failure) -> waiters.remove(waiter));
    lookOn();
    return Optional.of(waiter.end());
  }

  private void lookOn() {
    if (looking.compareAndSet(false, true)) {
      clock.schedule(this::look, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    try {
      Set<Long> jobs = new HashSet<>();
      waiters.forEach(w -> jobs.add(w.job()));
      if (!jobs.isEmpty()) {
        Collection<Long> live = store.listLive(jobs);
        waiters.stream()
            .filter(w -> jobs.contains(w.job()) && !live.contains(w.job()))
            .toList()
            .forEach(w -> w.end().complete(null));
      }
    } catch (RuntimeException e) {
      // They are looked for again, and answered at their time at the latest.
      LOG.warnf("The ends of jobs could not be looked for and will be again: %s", e.getClass());
    }
    // In this order: who came in between begins to look, or we do.
    looking.set(false);
    if (!waiters.isEmpty()) {
      lookOn();
    }
  }
}
