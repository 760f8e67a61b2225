package io.jobscheduler.worker.settle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Completions on their way to the settling thread: given out at once when it was idle, else as soon
 * as 100 are there or the oldest has waited 5 ms. Those to be repeated come after their pause.
 * Thread-safe.
 */
final class SettleQueue {
  static final int MOST = 100;
  static final long GATHER_NANOS = 5_000_000;

  private final LongSupplier clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Pending> fresh = new ArrayDeque<>();
  private final ArrayDeque<Pending> again = new ArrayDeque<>();
  private long oldestNanos;
  private long againNanos;
  private long idleSinceNanos;
  private final Set<Long> unconfirmed = new HashSet<>();
  private boolean closed;

  SettleQueue(LongSupplier clock) {
    this.clock = clock;
    this.idleSinceNanos = clock.getAsLong() - GATHER_NANOS;
  }

  /** Adds a settlement; a second one for the same lease is ignored until the first is done with. */
  void add(Pending pending) {
    lock.lock();
    try {
      if (!unconfirmed.add(pending.leaseToken())) {
        return;
      }
      if (fresh.isEmpty()) {
        oldestNanos = clock.getAsLong();
      }
      fresh.add(pending);
      if (fresh.size() == 1 || fresh.size() == MOST) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** These are to be tried again, not before the nanoseconds are over. */
  void again(List<Pending> pending, long pauseNanos) {
    lock.lock();
    try {
      again.addAll(pending);
      againNanos = clock.getAsLong() + pauseNanos;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** These are done with. */
  void confirmed(List<Pending> done) {
    lock.lock();
    try {
      done.forEach(pending -> unconfirmed.remove(pending.leaseToken()));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The settling thread has finished what it took. */
  void flushed() {
    lock.lock();
    try {
      idleSinceNanos = clock.getAsLong();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a batch, at most {@code patience}; empty when there was none or it is closed. */
  List<Pending> next(long patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long start = clock.getAsLong();
      while (!closed) {
        long now = clock.getAsLong();
        long wait = untilDue(now);
        if (wait <= 0) {
          return take(now);
        }
        long left = patience - (now - start);
        if (left <= 0) {
          break;
        }
        changed.awaitNanos(Math.min(wait, left));
      }
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private long untilDue(long now) {
    long wait = Long.MAX_VALUE;
    if (!fresh.isEmpty()) {
      boolean idle = now - idleSinceNanos >= GATHER_NANOS;
      wait = idle || fresh.size() >= MOST ? 0 : oldestNanos + GATHER_NANOS - now;
    }
    if (!again.isEmpty()) {
      wait = Math.min(wait, againNanos - now);
    }
    return wait;
  }

  private List<Pending> take(long now) {
    List<Pending> batch = new ArrayList<>();
    if (now - againNanos >= 0) {
      move(again, batch);
    }
    move(fresh, batch);
    oldestNanos = now;
    return batch;
  }

  /** Never two of one job: verdicts come by job, and an earlier lease of it may wait here too. */
  private static void move(ArrayDeque<Pending> from, List<Pending> to) {
    Set<Long> jobs = new HashSet<>();
    to.forEach(pending -> jobs.add(pending.jobId()));
    Iterator<Pending> each = from.iterator();
    while (to.size() < MOST && each.hasNext()) {
      Pending pending = each.next();
      if (jobs.add(pending.jobId())) {
        each.remove();
        to.add(pending);
      }
    }
  }

  /** Waits until everything added is done with, or the nanoseconds are over; whether it is. */
  boolean awaitConfirmed(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!unconfirmed.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return unconfirmed.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Gives out nothing more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }
}
