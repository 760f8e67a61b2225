package io.jobscheduler.scheduler.testing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock of nanoseconds that a test moves. Starts near the wrap-around. */
public final class ManualClock implements LongSupplier {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);

  @Override
  public long getAsLong() {
    return nanos.get();
  }

  /** Moves it on. */
  public void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}
