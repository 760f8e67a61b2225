package io.jobscheduler.worker.execute;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of this process whose handlers were told to end, did not, and were given up. Each keeps
 * its memory and whatever it locks until it ends by itself or the process does. Thread-safe.
 */
public final class StuckThreads {
  private final int limit;
  private final AtomicInteger count = new AtomicInteger();

  /** Up to {@code limit} of them are borne. */
  public StuckThreads(int limit) {
    this.limit = limit;
  }

  void add() {
    count.incrementAndGet();
  }

  void remove() {
    count.decrementAndGet();
  }

  /** How many there are. */
  public int count() {
    return count.get();
  }

  /** So many that the process should be restarted: nothing more is claimed. */
  public boolean tooMany() {
    return count.get() > limit;
  }
}
