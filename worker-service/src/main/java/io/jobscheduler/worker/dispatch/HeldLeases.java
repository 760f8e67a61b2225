package io.jobscheduler.worker.dispatch;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory of every lease in hand, from the claim until the database has confirmed its end. Compared
 * with the record to find claims whose reply was lost. Thread-safe.
 */
public final class HeldLeases {
  private final Map<Long, Held> byJob = new ConcurrentHashMap<>();
  private final Map<Integer, Share> byQueue = new ConcurrentHashMap<>();

  /** What one queue has here. */
  private record Share(int jobs, int slots) {
    Share plus(Share other) {
      return new Share(jobs + other.jobs, slots + other.slots);
    }
  }

  /** A lease came in. */
  public void add(Held held) {
    if (byJob.put(held.job().id(), held) == null) {
      byQueue.merge(held.job().queueId(), new Share(1, held.job().cost()), Share::plus);
    }
  }

  /** The lease has ended, or is no longer ours. */
  public void remove(Held held) {
    if (byJob.remove(held.job().id(), held)) {
      byQueue.computeIfPresent(
          held.job().queueId(),
          (id, share) -> share.jobs() == 1 ? null : share.plus(new Share(-1, -held.job().cost())));
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
    Share share = byQueue.get(queueId);
    return share == null ? 0 : share.jobs();
  }

  /** How many slots the jobs of that queue fill, or will. */
  public int slotsOf(int queueId) {
    Share share = byQueue.get(queueId);
    return share == null ? 0 : share.slots();
  }

  /** How many slots the jobs that have started fill, by queue. */
  public Map<Integer, Integer> filledSlots() {
    Map<Integer, Integer> filled = new HashMap<>();
    for (Held held : byJob.values()) {
      if (held.phase() == Held.Phase.RUNNING) {
        filled.merge(held.job().queueId(), held.job().cost(), Integer::sum);
      }
    }
    return filled;
  }

  /** Ids of jobs claimed and not started. */
  public long[] unstarted() {
    return byJob.values().stream()
        .filter(held -> held.phase() == Held.Phase.WAITING)
        .mapToLong(held -> held.job().id())
        .toArray();
  }
}
