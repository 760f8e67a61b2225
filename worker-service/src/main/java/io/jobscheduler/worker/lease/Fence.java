package io.jobscheduler.worker.lease;

/**
 * The instant until which this worker may trust its leases, in readings of a monotonic clock.
 *
 * <p>Both deadlines count from when the last confirmed beat was <em>sent</em>: the database may
 * have noted it at any time from then on, and whoever judges the worker counts from there.
 *
 * <p>Thread-safe.
 */
public final class Fence {
  private final long whenBrokenNanos;
  private final long whenSilentNanos;
  private long confirmedSentNanos;
  private boolean broken;

  /** Starts trusted, as by a beat sent at {@code sentNanos}. */
  public Fence(Timings timings, long sentNanos) {
    this.whenBrokenNanos = timings.fenceWhenBroken().toNanos();
    this.whenSilentNanos = timings.fenceWhenSilent().toNanos();
    this.confirmedSentNanos = sentNanos;
  }

  /**
   * A beat sent at that instant was confirmed, over whatever connection.
   *
   * @param locked whether that connection holds the incarnation's lock; while none does, silence
   *     counts as loss early, so the shorter deadline holds on
   */
  public synchronized void confirmed(long sentNanos, boolean locked) {
    if (sentNanos - confirmedSentNanos > 0) {
      confirmedSentNanos = sentNanos;
    }
    broken = !locked;
  }

  /** The beat's connection broke; the shorter deadline holds until one with the lock has beaten. */
  public synchronized void broken() {
    broken = true;
  }

  /** When trust ends, as things stand. */
  public synchronized long deadlineNanos() {
    return confirmedSentNanos + (broken ? whenBrokenNanos : whenSilentNanos);
  }

  /** Whether trust has ended at {@code nowNanos}. */
  public boolean isDown(long nowNanos) {
    return nowNanos - deadlineNanos() >= 0;
  }

  /** Nanoseconds since the last confirmed beat was sent. */
  public synchronized long ageNanos(long nowNanos) {
    return nowNanos - confirmedSentNanos;
  }
}
