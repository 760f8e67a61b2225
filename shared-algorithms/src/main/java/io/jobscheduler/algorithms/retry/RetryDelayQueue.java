package io.jobscheduler.algorithms.retry;

import io.jobscheduler.algorithms.heap.BinaryMinHeap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue that gives each element out when its instant has come, earliest first.
 *
 * <p>An instant is a reading, in nanoseconds, of the monotonic clock given to the constructor (such
 * as {@code System::nanoTime}). Such readings may be negative and may wrap around, so they are
 * compared by difference; all instants in a queue and the clock must lie within 2^63 ns (292 years)
 * of each other. Elements due at the same instant come out in the order they were added.
 *
 * <p>Source: the event set on a heap as in Knuth, "The Art of Computer Programming" vol. 3, section
 * 5.2.3; waiting for the head's instant only, as java.util.concurrent.DelayQueue does; handles make
 * cancelling O(log n), where DelayQueue scans.
 *
 * <p>Cost: {@code add}, {@code cancel} and taking out O(log n), the rest O(1). A waiting thread
 * costs nothing until the head is due, an earlier element is added, or {@link #wakeUp} is called.
 *
 * <p>Thread-safe. One lock, held for O(log n) and never while waiting or calling out, except that
 * the clock is read under it.
 *
 * @param <E> the elements, never null
 */
public final class RetryDelayQueue<E> {

  /**
   * Names one insertion, for its cancelling.
   *
   * @param <E> the queue's elements
   */
  public static final class Handle<E> {
    private final BinaryMinHeap.Handle<Entry<E>> place;

    private Handle(BinaryMinHeap.Handle<Entry<E>> place) {
      this.place = place;
    }
  }

  private record Entry<E>(E element, long dueNanos) {}

  private final LongSupplier clock;
  private final Waiter waiter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final BinaryMinHeap<Entry<E>> entries =
      new BinaryMinHeap<>((a, b) -> Long.signum(a.dueNanos - b.dueNanos));
  private boolean wakeUpPending;

  /** Makes an empty queue on a monotonic clock that counts nanoseconds. */
  public RetryDelayQueue(LongSupplier clock) {
    this(clock, Waiter.ON_CONDITION);
  }

  RetryDelayQueue(LongSupplier clock, Waiter waiter) {
    this.clock = Objects.requireNonNull(clock);
    this.waiter = waiter;
  }

  /** Adds an element due at {@code dueNanos}; an instant already past is due at once. */
  public Handle<E> add(E element, long dueNanos) {
    Entry<E> entry = new Entry<>(Objects.requireNonNull(element), dueNanos);
    lock.lock();
    try {
      Entry<E> head = entries.peek();
      if (head == null || dueNanos - head.dueNanos < 0) {
        changed.signalAll();
      }
      return new Handle<>(entries.add(entry));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes an element out before it was given out.
   *
   * @return whether it was still in the queue
   * @throws IllegalArgumentException when another queue gave the handle
   */
  public boolean cancel(Handle<E> handle) {
    lock.lock();
    try {
      return entries.remove(handle.place);
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the earliest element that is due, or null when none is; never waits. */
  public @Nullable E pollDue() {
    lock.lock();
    try {
      return removeDue(clock.getAsLong());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the earliest element's instant, empty when the queue is. */
  public OptionalLong nextDueNanos() {
    lock.lock();
    try {
      Entry<E> head = entries.peek();
      return head == null ? OptionalLong.empty() : OptionalLong.of(head.dueNanos);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until an element is due, removes and returns it.
   *
   * @return the element, or null when {@link #wakeUp} was called
   */
  public @Nullable E take() throws InterruptedException {
    return poll(Long.MAX_VALUE);
  }

  /**
   * Waits until an element is due, but no longer than {@code maxWaitNanos} (zero or less: not at
   * all), removes and returns it.
   *
   * @return the element, or null when the time is over or {@link #wakeUp} was called
   */
  public @Nullable E poll(long maxWaitNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long start = clock.getAsLong();
      long now = start;
      while (true) {
        E due = removeDue(now);
        if (due != null) {
          return due;
        }
        long left = Math.max(0, maxWaitNanos) - (now - start);
        if (left <= 0) {
          return null;
        }
        if (wakeUpPending) {
          wakeUpPending = false;
          return null;
        }
        waiter.await(changed, Math.min(left, untilHeadIsDue(now)));
        now = clock.getAsLong();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes one waiting thread return null; when none waits, the next that would. Calls do not add
   * up, and an element that is due goes first without using the call up.
   */
  public void wakeUp() {
    lock.lock();
    try {
      wakeUpPending = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many elements the queue holds, due or not. */
  public int size() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable E removeDue(long now) {
    Entry<E> head = entries.peek();
    if (head == null || head.dueNanos - now > 0) {
      return null;
    }
    entries.poll();
    return head.element;
  }

  private long untilHeadIsDue(long now) {
    Entry<E> head = entries.peek();
    return head == null ? Long.MAX_VALUE : head.dueNanos - now;
  }
}
