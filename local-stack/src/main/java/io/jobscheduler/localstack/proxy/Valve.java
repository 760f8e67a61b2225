package io.jobscheduler.localstack.proxy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What every pump asks before it passes bytes on. Thread-safe. */
final class Valve {
  private boolean shut;
  private Duration delay = Duration.ZERO;

  synchronized void shut() {
    shut = true;
  }

  synchronized void open() {
    shut = false;
    notifyAll();
  }

  synchronized boolean isShut() {
    return shut;
  }

  synchronized void delay(Duration each) {
    delay = each;
    notifyAll();
  }

  /** Returns once something that arrived now may go on. */
  synchronized void pass() throws InterruptedException {
    long due = System.nanoTime() + delay.toNanos();
    while (shut || !delay.isZero()) {
      long left = due - System.nanoTime();
      if (!shut && left <= 0) {
        return;
      }
      if (shut) {
        wait();
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    }
  }
}
