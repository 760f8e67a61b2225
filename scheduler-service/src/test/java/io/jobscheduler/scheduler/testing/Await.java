package io.jobscheduler.scheduler.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition, with a deadline. */
public final class Await {
  private static final long LOOK_EVERY_NANOS = Duration.ofMillis(10).toNanos();

  private Await() {}

  /** Waits until {@code condition} holds; fails naming {@code what} after {@code atMost}. */
  public static void until(String what, Duration atMost, Callable<Boolean> condition)
      throws Exception {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + atMost + ": " + what);
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }
}
