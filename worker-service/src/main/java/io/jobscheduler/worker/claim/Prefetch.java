package io.jobscheduler.worker.claim;

import java.time.Duration;

/**
 * How many jobs may be claimed before a slot is free: only as many as start within the next
 * milliseconds, judged by how long jobs have run lately. What waits here cannot be taken by another
 * worker, so with long jobs it is none. Thread-safe.
 */
public final class Prefetch {
  private static final int SMOOTHING = 8;

  private final int slots;
  private final int most;
  private final long horizonNanos;
  private double meanNanos = Double.POSITIVE_INFINITY;

  /**
   * Allows nothing until the first job has run.
   *
   * @param most never more than this
   * @param horizon what would start later than this is not claimed ahead
   */
  public Prefetch(int slots, int most, Duration horizon) {
    this.slots = slots;
    this.most = most;
    this.horizonNanos = horizon.toNanos();
  }

  /** A job ran for so long. */
  public synchronized void ran(long nanos) {
    meanNanos = Double.isInfinite(meanNanos) ? nanos : meanNanos + (nanos - meanNanos) / SMOOTHING;
  }

  /** How many may be claimed ahead now. */
  public synchronized int allowed() {
    return (int) Math.min(most, slots * (horizonNanos / Math.max(meanNanos, 1.0)));
  }
}
