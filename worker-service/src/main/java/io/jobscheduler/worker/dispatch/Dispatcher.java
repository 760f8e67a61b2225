package io.jobscheduler.worker.dispatch;

import io.jobscheduler.algorithms.heap.BinaryMinHeap;
import io.jobscheduler.worker.claim.ClaimedJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands claimed jobs of all queues to the slots: claim by claim and, of one claim, most urgent
 * first.
 *
 * <p>They wait in a binary min-heap by claim, then priority (9 first), then dispatch key, then id:
 * the claim's UPDATE returns rows in no order, and several queues come in one claim. Claims come
 * first because Deficit Round Robin has decided between queues when it claimed: by urgency alone a
 * job that waits here could be passed by for as long as another queue's are older or more urgent,
 * and no other worker can take it. A job that is no longer ours leaves by its handle. A job fills
 * as many slots as it costs. The most urgent one is never passed by because it does not fit yet, so
 * dear jobs do not starve; one that costs more than all slots runs alone. Thread-safe; one lock,
 * held for O(log n).
 */
public final class Dispatcher {
  /** By claim, then most urgent first. */
  static final Comparator<Held> URGENCY =
      Comparator.comparingLong(Held::claim)
          .thenComparing(
              Held::job,
              Comparator.comparingInt((ClaimedJob job) -> -job.priority())
                  .thenComparingLong(ClaimedJob::dispatchKey)
                  .thenComparingLong(ClaimedJob::id));

  private final int slots;
  private final Runnable onRoom;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition idle = lock.newCondition();
  private final BinaryMinHeap<Held> waiting = new BinaryMinHeap<>(URGENCY);
  private final Map<Held, BinaryMinHeap.Handle<Held>> handles = new HashMap<>();
  private int stirAt;
  private int running;
  private int filled;
  private int waitingCost;
  private boolean heldBack;
  private long claims;
  private boolean closed;

  /**
   * Makes an empty dispatcher.
   *
   * @param slots how many jobs run at once
   * @param onRoom called, outside the lock, when a slot is free and nothing waits, or when a job
   *     has started and no more than {@link #stirAt} wait
   */
  public Dispatcher(int slots, Runnable onRoom) {
    this.slots = slots;
    this.onRoom = onRoom;
  }

  /** Adds the jobs of one claim; false, adding none, when closed. */
  public boolean add(Collection<Held> claimed) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      claims++;
      for (Held held : claimed) {
        held.cameWith(claims);
        handles.put(held, waiting.add(held));
        waitingCost += held.job().cost();
        work.signal();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** From so many waiting jobs on downwards, each start is reported as room. */
  public void stirAt(int jobs) {
    lock.lock();
    try {
      stirAt = jobs;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the most urgent job and marks it started; null when closed. */
  public @Nullable Held take() throws InterruptedException {
    Held next;
    boolean room;
    lock.lockInterruptibly();
    try {
      while (!closed && !mostUrgentFits()) {
        work.await();
      }
      next = closed ? null : waiting.poll();
      if (next == null) {
        return null;
      }
      handles.remove(next);
      next.start();
      waitingCost -= next.job().cost();
      filled += next.job().cost();
      running++;
      room = waiting.size() <= stirAt;
    } finally {
      lock.unlock();
    }
    if (room) {
      onRoom.run();
    }
    return next;
  }

  private boolean mostUrgentFits() {
    Held next = waiting.peek();
    if (next == null) {
      return false;
    }
    boolean fits = running == 0 || filled + next.job().cost() <= slots;
    heldBack |= !fits;
    return fits;
  }

  /** Room or order has changed: those that a job which did not fit held back look again. */
  private void lookAgain() {
    if (heldBack) {
      heldBack = false;
      work.signalAll();
    }
  }

  /** The slots of a job that was taken are free again. */
  public void slotFreed(Held held) {
    boolean room;
    lock.lock();
    try {
      running--;
      filled -= held.job().cost();
      lookAgain();
      room = waiting.isEmpty();
      if (running == 0) {
        idle.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (room) {
      onRoom.run();
    }
  }

  /** Takes a job out before it starts; false when it has started or left. */
  public boolean withdraw(Held held) {
    lock.lock();
    try {
      BinaryMinHeap.Handle<Held> handle = handles.remove(held);
      if (handle == null || !waiting.remove(handle)) {
        return false;
      }
      waitingCost -= held.job().cost();
      lookAgain();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Gives out nothing more; returns what has not started. */
  public List<Held> close() {
    lock.lock();
    try {
      closed = true;
      List<Held> left = new ArrayList<>(handles.keySet());
      handles.clear();
      waiting.clear();
      waitingCost = 0;
      work.signalAll();
      return left;
    } finally {
      lock.unlock();
    }
  }

  /** Slots that nothing fills; below zero by what those that wait will fill. */
  public int free() {
    lock.lock();
    try {
      return slots - filled - waitingCost;
    } finally {
      lock.unlock();
    }
  }

  /** Jobs being run. */
  public int running() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until nothing runs, or the nanoseconds are over; whether nothing runs. */
  public boolean awaitIdle(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (running > 0 && left > 0) {
        left = idle.awaitNanos(left);
      }
      return running == 0;
    } finally {
      lock.unlock();
    }
  }
}
