package io.jobscheduler.worker.claim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What others tell the claimer: the letter box between all threads and the claimer's.
 *
 * <p>Nothing is concluded here. The claimer empties it before each round, after it has noted the
 * last claim's outcome, so that news about a job that the claim could not see are never lost.
 * Thread-safe; one lock, held for collection operations only.
 */
public final class WakeUps {
  /** The news since the last emptying. */
  record News(
      List<ReadyPlace> ready,
      Set<Integer> settledQueues,
      Set<Integer> roomIn,
      boolean poll,
      boolean everywhere) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private List<ReadyPlace> ready = new ArrayList<>();
  private Set<Integer> settledQueues = new HashSet<>();
  private Set<Integer> roomIn = new HashSet<>();
  private boolean claiming;
  private boolean poll;
  private boolean everywhere;
  private boolean stirred;

  /** A job became ready. */
  public void ready(List<ReadyPlace> places) {
    if (places.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      ready.addAll(places);
      stirLocked();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Jobs of these queues have ended here, and ended in the record.
   *
   * @return whether a claimer will use the room or say that it does not
   */
  public boolean settled(Set<Integer> queueIds) {
    lock.lock();
    try {
      settledQueues.addAll(queueIds);
      stirLocked();
      return claiming;
    } finally {
      lock.unlock();
    }
  }

  /** Another worker has left room in these queues. */
  public void room(Set<Integer> queueIds) {
    if (queueIds.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      roomIn.addAll(queueIds);
      stirLocked();
    } finally {
      lock.unlock();
    }
  }

  /** A claimer has begun, or will claim nothing more. */
  void claiming(boolean now) {
    lock.lock();
    try {
      claiming = now;
    } finally {
      lock.unlock();
    }
  }

  /** Notifications may have been missed: look for yourself. */
  public void pollNow() {
    lock.lock();
    try {
      poll = true;
      stirLocked();
    } finally {
      lock.unlock();
    }
  }

  /** Jobs may have become ready anywhere in the order: forget the heads and look. */
  public void lookEverywhere() {
    lock.lock();
    try {
      everywhere = true;
      poll = true;
      stirLocked();
    } finally {
      lock.unlock();
    }
  }

  /** A slot became free, or the claimer shall look up for another reason. */
  public void stir() {
    lock.lock();
    try {
      stirLocked();
    } finally {
      lock.unlock();
    }
  }

  private void stirLocked() {
    stirred = true;
    arrived.signal();
  }

  /** Takes everything out. */
  News take() {
    lock.lock();
    try {
      News news = new News(ready, settledQueues, roomIn, poll, everywhere);
      ready = new ArrayList<>();
      settledQueues = new HashSet<>();
      roomIn = new HashSet<>();
      poll = false;
      everywhere = false;
      stirred = false;
      return news;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something arrives since the last {@link #take}, or the nanoseconds are over. */
  void await(long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (!stirred && left > 0) {
        left = arrived.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }
}
