package io.jobscheduler.scheduler.promote;

import io.jobscheduler.algorithms.retry.RetryDelayQueue;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Instants of the database's clock at which something is due, and the wait for the next of them.
 * Thread-safe.
 */
public final class DueInstants {
  /** More are not kept: what was left out is found by a later look. */
  private static final int MOST = 20_000;

  /** One moment on both clocks. */
  private record Reading(long databaseMicros, long nanos) {}

  private final LongSupplier nanoClock;
  private final RetryDelayQueue<Long> queue;
  private final Set<Long> armed = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Reading reading;

  /** None yet, on a monotonic clock of nanoseconds. */
  public DueInstants(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.queue = new RetryDelayQueue<>(nanoClock);
  }

  /**
   * Notes the database's clock, in microseconds since the epoch, as read just now. The reply took
   * its time, so the instants of the monotonic clock made from it are a little late, never early.
   */
  public void synchronise(long databaseMicros) {
    reading = new Reading(databaseMicros, nanoClock.getAsLong());
  }

  /**
   * Adds an instant, in microseconds since the epoch on the database's clock, if it is not there
   * yet and at most {@code within} ahead. No effect before the clocks were first compared.
   */
  public void arm(long dueMicros, Duration within) {
    Reading base = reading;
    if (base == null || armed.size() >= MOST) {
      return;
    }
    long ahead = dueMicros - base.databaseMicros;
    if (ahead <= TimeUnit.NANOSECONDS.toMicros(within.toNanos()) && armed.add(dueMicros)) {
      queue.add(dueMicros, base.nanos + TimeUnit.MICROSECONDS.toNanos(Math.max(ahead, 0)));
    }
  }

  /**
   * Waits until an instant has come, but no longer than {@code atMostNanos}, and removes all that
   * have.
   *
   * @return whether one had come; false also after {@link #wakeUp}
   */
  public boolean await(long atMostNanos) throws InterruptedException {
    Long due = queue.poll(atMostNanos);
    boolean came = due != null;
    while (due != null) {
      armed.remove(due);
      due = queue.pollDue();
    }
    return came;
  }

  /** Ends a wait early. */
  public void wakeUp() {
    queue.wakeUp();
  }

  /** Whether none waits. */
  public boolean isEmpty() {
    return queue.size() == 0;
  }
}
