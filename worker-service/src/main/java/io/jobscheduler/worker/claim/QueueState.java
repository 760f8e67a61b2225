package io.jobscheduler.worker.claim;

import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * What the claimer remembers of one queue: its lanes' heads, and whether asking is worth it.
 *
 * <p>A limited queue that gave less than was wanted says nothing about its lanes: its lock may have
 * been another's, or its limit reached. It is tried twice more within milliseconds, then rests
 * until a job of it ends, a wake-up comes or the poll finds work, which makes it worth one try. One
 * that is short of tokens is not asked before the next one comes, whatever happens meanwhile.
 * Confined to the claimer's thread.
 */
final class QueueState {
  static final int LANES = 10;

  private static final int SOON_TRIES = 2;
  private static final long SOON_NANOS = 15_000_000;
  private static final double SHARE_MEMORY_NANOS = 1e9;
  private static final long FORGET_NANOS = 60_000_000_000L;
  // Tokens that come faster are taken several at once; a rate changed meanwhile is noticed anyway.
  private static final long TOKEN_LEAST_NANOS = 10_000_000;
  private static final long TOKEN_MOST_NANOS = 60_000_000_000L;

  private final LaneHead[] lanes = new LaneHead[LANES];
  private final LongSupplier clock;
  private QueueInfo info;
  private int soonTries;
  private boolean resting;
  private boolean againSoon;
  private long againNanos;
  private long forgetNanos;

  /** Whether it holds slots or wants some, by the plan that is being made. */
  boolean shares;

  /** The slots that it filled at the last plan. */
  int lastFilled;

  /** Slot nanoseconds beyond its share. */
  private double ahead;

  private boolean awaitingToken;
  private long tokenNanos;

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
    if (!Objects.equals(latest.rate(), info.rate())) {
      awaitingToken = false;
    }
    if (latest.isKeyed() != info.isKeyed()) {
      forget();
    }
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
    if (info.paused() || !mayHoldWork() || untilToken(now) > 0) {
      return false;
    }
    return awaitingToken || !resting || (againSoon && now - againNanos >= 0);
  }

  private long untilToken(long now) {
    return awaitingToken ? tokenNanos - now : 0;
  }

  boolean isResting() {
    return resting;
  }

  /** Nanoseconds until a rest whose end is known is over, or -1. */
  long soonIn(long now) {
    if (!mayHoldWork() || info.paused()) {
      return -1;
    }
    if (awaitingToken) {
      return Math.max(0, tokenNanos - now);
    }
    return resting && againSoon ? Math.max(0, againNanos - now) : -1;
  }

  /**
   * For so long it filled {@link #lastFilled}, and its share was {@code share}. More than a
   * second's worth is not remembered, and nothing once it holds and wants none.
   */
  void account(long nanos, double share, int filled) {
    double most = SHARE_MEMORY_NANOS * Math.max(share, 1);
    ahead += nanos * (lastFilled - share);
    ahead = shares ? Math.max(-most, Math.min(ahead, most)) : 0;
    lastFilled = filled;
  }

  /** Above zero when it has filled more than its share lately, below when less. */
  int standing() {
    return Double.compare(ahead, 0);
  }

  /** Something changed: ask again at once. */
  void stir() {
    resting = false;
    soonTries = 0;
  }

  /** The poll has found work: worth a try, but not more tries soon after it. */
  void wake() {
    if (resting) {
      resting = false;
      soonTries = SOON_TRIES;
    }
  }

  /** There is no token, and the next one comes in so long. */
  void restUntilTokenIn(long nanos) {
    awaitingToken = true;
    tokenNanos = clock.getAsLong() + Math.max(TOKEN_LEAST_NANOS, Math.min(nanos, TOKEN_MOST_NANOS));
  }

  /** A claim got less than it wanted. */
  void cameShort(boolean some) {
    awaitingToken = false;
    if (some && info.isKeyed()) {
      // Its lock was ours, and there may be more: the look past full keys is bounded.
      soonTries = 0;
    }
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
    awaitingToken = false;
    for (int lane = LANES - 1; lane > lowest && !info.isKeyed(); lane--) {
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
