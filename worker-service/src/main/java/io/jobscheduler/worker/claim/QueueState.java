package io.jobscheduler.worker.claim;

import java.util.function.LongSupplier;

/**
 * What the claimer remembers of one queue: its lanes' heads, and whether asking is worth it.
 *
 * <p>A limited queue that gave less than was wanted says nothing about its lanes: its lock may have
 * been another's, or its limit reached. It is tried twice more within milliseconds, then rests
 * until a job of it ends here, a wake-up comes or the poll finds work. Confined to the claimer's
 * thread.
 */
final class QueueState {
  static final int LANES = 10;

  private static final int SOON_TRIES = 2;
  private static final long SOON_NANOS = 15_000_000;
  private static final long FORGET_NANOS = 60_000_000_000L;

  private final LaneHead[] lanes = new LaneHead[LANES];
  private final LongSupplier clock;
  private QueueInfo info;
  private int soonTries;
  private boolean resting;
  private boolean againSoon;
  private long againNanos;
  private long forgetNanos;

  QueueState(QueueInfo info, LongSupplier clock) {
    this.info = info;
    this.clock = clock;
    this.forgetNanos = clock.getAsLong() + FORGET_NANOS;
    for (int i = 0; i < LANES; i++) {
      lanes[i] = new LaneHead();
    }
  }

  QueueInfo info() {
    return info;
  }

  void update(QueueInfo latest) {
    info = latest;
  }

  /** By lane number, 9 to 0 from the most urgent. */
  LaneHead lane(int lane) {
    return lanes[lane];
  }

  boolean mayHoldWork() {
    for (LaneHead lane : lanes) {
      if (lane.mayHoldWork()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a claim may ask this queue now. */
  boolean isAskable(long now) {
    if (info.paused() || !mayHoldWork()) {
      return false;
    }
    return !resting || (againSoon && now - againNanos >= 0);
  }

  boolean isResting() {
    return resting;
  }

  /** Nanoseconds until a rest of milliseconds ends, or -1. */
  long soonIn(long now) {
    return resting && againSoon && mayHoldWork() && !info.paused()
        ? Math.max(0, againNanos - now)
        : -1;
  }

  /** Something changed: ask again at once. */
  void stir() {
    resting = false;
    soonTries = 0;
  }

  /** A claim got less than it wanted. */
  void cameShort() {
    if (!info.isLimited()) {
      for (LaneHead lane : lanes) {
        lane.exhausted();
      }
      return;
    }
    resting = true;
    againSoon = soonTries < SOON_TRIES;
    againNanos = clock.getAsLong() + (SOON_NANOS << soonTries);
    soonTries++;
  }

  /** All that was wanted came, the last of it from {@code lowest}: the lanes above are empty. */
  void cameInFull(int lowest) {
    for (int lane = LANES - 1; lane > lowest; lane--) {
      lanes[lane].exhausted();
    }
    stir();
  }

  /** Once a minute the heads start from the beginning: the backstop of a missed place. */
  void forgetWhenDue(long now) {
    if (now - forgetNanos >= 0) {
      forgetNanos = now + FORGET_NANOS;
      forget();
    }
  }

  void forget() {
    for (LaneHead lane : lanes) {
      lane.forget();
    }
  }
}
