package io.jobscheduler.algorithms.retry;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** How a thread waits; a test puts one in that moves its clock instead of sleeping. */
@FunctionalInterface
interface Waiter {

  /**
   * Waits on the condition's own queue until a signal, an interrupt, or the nanoseconds are over.
   */
  @SuppressWarnings("WaitNotInLoop") // The caller loops.
  Waiter ON_CONDITION = (changed, nanos) -> changed.await(nanos, TimeUnit.NANOSECONDS);

  /**
   * Returns after at most {@code nanos}, earlier when signalled. It may return for no reason: the
   * caller looks again.
   */
  boolean await(Condition changed, long nanos) throws InterruptedException;
}
