package io.jobscheduler.worker.settle;

import io.jobscheduler.algorithms.retry.RetryDelayQueue;
import io.jobscheduler.worker.database.Connections;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Promotes the retries that this worker settled itself, each at its instant, so that retries go on
 * without a leader.
 *
 * <p>One thread sleeps on the delay queue until exactly the next instant. The database's clock
 * decides: one that it does not find due yet (the clocks drift apart over a long wait) is tried
 * again a few times; after that it is the leader's. Losing the queue with the process loses no job
 * for the same reason.
 */
public final class RetryPromoter implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(RetryPromoter.class);
  private static final int LARGEST = 100_000;
  private static final int BATCH = 100;
  private static final long[] AGAIN_NANOS = {5_000_000, 100_000_000, 2_000_000_000L};
  // The database rounds to microseconds.
  private static final long MARGIN_NANOS = 200_000;

  private record Retry(long jobId, int tries) {}

  private final SettleStore store;
  private final ReadyEvents events;
  private final RetryDelayQueue<Retry> waiting = new RetryDelayQueue<>(System::nanoTime);
  private final Thread thread = new Thread(this::runUntilClosed, "jobs-retry");
  private volatile boolean closed;

  /** Makes a promoter; {@code events} is told of what became ready. */
  public RetryPromoter(Connections pool, ReadyEvents events) {
    this.store = new SettleStore(pool);
    this.events = events;
    thread.setDaemon(true);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /**
   * Promotes the job when the nanoseconds are over. Beyond 100,000 jobs it is left to the leader.
   */
  public void promoteIn(long jobId, long nanos) {
    if (waiting.size() < LARGEST) {
      waiting.add(new Retry(jobId, 0), System.nanoTime() + nanos + MARGIN_NANOS);
    }
  }

  private void runUntilClosed() {
    try {
      while (!closed) {
        Retry first = waiting.take();
        if (first != null && !closed) {
          promote(dueWith(first));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Retry> dueWith(Retry first) {
    List<Retry> due = new ArrayList<>();
    @Nullable Retry next = first;
    while (next != null) {
      due.add(next);
      next = due.size() < BATCH ? waiting.pollDue() : null;
    }
    return due;
  }

  private void promote(List<Retry> due) {
    Set<Long> promoted = new HashSet<>();
    try {
      List<ReadyJob> ready = store.promoteJobs(due.stream().mapToLong(Retry::jobId).toArray());
      ready.forEach(job -> promoted.add(job.id()));
      if (!ready.isEmpty()) {
        events.ready(ready);
      }
    } catch (SQLException | RuntimeException e) {
      LOG.warnf("Promoting retries failed, will retry jobs=%d cause=%s", due.size(), e.toString());
    }
    for (Retry retry : due) {
      if (!promoted.contains(retry.jobId()) && retry.tries() < AGAIN_NANOS.length) {
        waiting.add(
            new Retry(retry.jobId(), retry.tries() + 1),
            System.nanoTime() + AGAIN_NANOS[retry.tries()]);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    waiting.wakeUp();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
