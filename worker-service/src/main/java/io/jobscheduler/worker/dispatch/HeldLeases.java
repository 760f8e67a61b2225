package io.jobscheduler.worker.dispatch;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory of every lease in hand, from the claim until the database has confirmed its end. Compared
 * with the record to find claims whose reply was lost. Thread-safe.
 */
public final class HeldLeases {
  private final Map<Long, Held> byJob = new ConcurrentHashMap<>();
  private final Map<Integer, Integer> byQueue = new ConcurrentHashMap<>();

  /** A lease came in. */
  public void add(Held held) {
    if (byJob.put(held.job().id(), held) == null) {
      byQueue.merge(held.job().queueId(), 1, Integer::sum);
    }
  }

  /** The lease has ended, or is no longer ours. */
  public void remove(Held held) {
    if (byJob.remove(held.job().id(), held)) {
      byQueue.computeIfPresent(held.job().queueId(), (id, n) -> n == 1 ? null : n - 1);
    }
  }

  /** The lease on that job, or null. */
  public @Nullable Held get(long jobId) {
    return byJob.get(jobId);
  }

  /** All leases; weakly consistent. */
  public Collection<Held> all() {
    return byJob.values();
  }

  /** How many leases on jobs of that queue. */
  public int countOf(int queueId) {
    return byQueue.getOrDefault(queueId, 0);
  }

  /** Ids of jobs claimed and not started. */
  public long[] unstarted() {
    return byJob.values().stream()
        .filter(held -> held.phase() == Held.Phase.WAITING)
        .mapToLong(held -> held.job().id())
        .toArray();
  }
}
