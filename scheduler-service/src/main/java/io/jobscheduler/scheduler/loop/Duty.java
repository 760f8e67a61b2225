package io.jobscheduler.scheduler.loop;

import java.util.function.LongSupplier;

/** Keeps a repeated piece of work to a tenth of the time. One thread. */
public final class Duty {
  private static final int REST_FACTOR = 9;

  private final LongSupplier nanoClock;
  private boolean rested = true;
  private long restUntilNanos;

  /** Rested, on a monotonic clock of nanoseconds. */
  public Duty(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Whether the rest after the last piece is over. */
  public boolean allows() {
    if (!rested && nanoClock.getAsLong() - restUntilNanos >= 0) {
      rested = true;
    }
    return rested;
  }

  /** Notes a piece of work that began at {@code startNanos} and has just ended. */
  public void worked(long startNanos) {
    long now = nanoClock.getAsLong();
    restUntilNanos = now + REST_FACTOR * (now - startNanos);
    rested = false;
  }
}
