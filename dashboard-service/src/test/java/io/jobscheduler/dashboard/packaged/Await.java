package io.jobscheduler.dashboard.packaged;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for something outside this process, up to a deadline. */
final class Await {
  static final Duration DEADLINE = Duration.ofSeconds(40);

  private Await() {}

  static void until(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - end >= 0) {
        throw new AssertionError("not within " + DEADLINE + ": " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }
}
