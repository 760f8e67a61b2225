package io.jobscheduler.scheduler.loop;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Says when something rarer than a loop's turns is due; at once the first time. One thread. */
public final class Every {
  /**
   * After so much work a round ends and leaves the rest to the next: with the one transaction that
   * it may have begun just before, still well below what counts as stuck.
   */
  public static final Duration ROUND = Duration.ofSeconds(2);

  private final long periodNanos;
  private final LongSupplier nanoClock;
  private boolean begun;
  private long lastNanos;

  /** Due every {@code period} on a monotonic clock of nanoseconds. */
  public Every(Duration period, LongSupplier nanoClock) {
    this.periodNanos = period.toNanos();
    this.nanoClock = nanoClock;
  }

  /** Whether it is due; if so, the period begins anew. */
  public boolean isDue() {
    long now = nanoClock.getAsLong();
    if (begun && now - lastNanos < periodNanos) {
      return false;
    }
    begun = true;
    lastNanos = now;
    return true;
  }
}
