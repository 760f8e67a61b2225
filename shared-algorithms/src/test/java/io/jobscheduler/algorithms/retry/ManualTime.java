package io.jobscheduler.algorithms.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;

/**
 * A clock that moves only when told to, and a waiter for which waiting moves it. What another
 * thread would do while one waits is scripted, and happens at the beginning of the wait.
 */
final class ManualTime implements LongSupplier, Waiter {
  final List<Long> waits = new ArrayList<>();
  private final Deque<Runnable> duringWaits = new ArrayDeque<>();
  private long now;

  ManualTime(long now) {
    this.now = now;
  }

  @Override
  public long getAsLong() {
    return now;
  }

  void advance(long nanos) {
    now += nanos;
  }

  /** During the next wait not yet scripted this happens, and the wait ends without time passing. */
  void duringWait(Runnable action) {
    duringWaits.add(action);
  }

  @Override
  public boolean await(Condition changed, long nanos) {
    waits.add(nanos);
    Runnable action = duringWaits.poll();
    if (action == null) {
      now += nanos;
    } else {
      action.run();
    }
    return true;
  }
}
