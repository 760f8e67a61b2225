package io.jobscheduler.scheduler.leadership;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * This process' own beats at the database: while they are late, silence of others proves nothing.
 * Written by one thread, read by any.
 */
final class Beats {
  private final LongSupplier nanoClock;
  private final long lateNanos;
  private volatile boolean confirmed;
  private volatile long confirmedAtNanos;
  private volatile boolean gapSeen;
  private volatile long gapEndedAtNanos;

  /** A beat is late {@code late} after the one before. */
  Beats(LongSupplier nanoClock, Duration late) {
    this.nanoClock = nanoClock;
    this.lateNanos = late.toNanos();
  }

  void confirmed() {
    long now = nanoClock.getAsLong();
    if (confirmed && now - confirmedAtNanos > lateNanos) {
      gapEndedAtNanos = now;
      gapSeen = true;
    }
    confirmedAtNanos = now;
    confirmed = true;
  }

  void failed() {
    gapEndedAtNanos = nanoClock.getAsLong();
    gapSeen = true;
  }

  /** Whether no beat was late or failed within the last {@code span}. */
  boolean punctualFor(Duration span) {
    long now = nanoClock.getAsLong();
    return confirmed
        && now - confirmedAtNanos <= lateNanos
        && (!gapSeen || now - gapEndedAtNanos >= span.toNanos());
  }

  /** Whether the last beat was confirmed within {@code span}. */
  boolean confirmedWithin(Duration span) {
    return confirmed && nanoClock.getAsLong() - confirmedAtNanos <= span.toNanos();
  }
}
