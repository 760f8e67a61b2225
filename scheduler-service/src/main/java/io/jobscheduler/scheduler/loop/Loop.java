package io.jobscheduler.scheduler.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * A loop's record: when it turned last and whether that went well. Turned by one thread at a time,
 * read by any.
 */
public final class Loop {
  private static final Logger LOG = Logger.getLogger(Loop.class);
  private static final long SAY_AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private final String name;
  private final Duration every;
  private final LongSupplier nanoClock;
  private volatile long movedAtNanos;
  private volatile boolean running;
  private volatile boolean succeeded;
  private volatile long succeededAtNanos;
  private volatile int failuresInRow;
  private volatile int passedOver;
  private final AtomicLong rounds = new AtomicLong();
  private final AtomicLong spentNanos = new AtomicLong();
  private final AtomicLong rows = new AtomicLong();
  private long saidAtNanos;

  Loop(String name, Duration every, LongSupplier nanoClock) {
    this.name = name;
    this.every = every;
    this.nanoClock = nanoClock;
    this.movedAtNanos = nanoClock.getAsLong();
  }

  /** Runs one round; catches and logs whatever it throws. Returns whether the round went well. */
  @SuppressWarnings("CatchAndPrintStackTrace")
  public boolean turn(Round round) {
    long start = nanoClock.getAsLong();
    movedAtNanos = start;
    running = true;
    try {
      round.run();
      succeededAtNanos = nanoClock.getAsLong();
      succeeded = true;
      if (failuresInRow > 0) {
        LOG.infof("Loop works again: loop=%s failed_rounds=%d", name, failuresInRow);
        failuresInRow = 0;
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable e) {
      failed(e);
      return false;
    } finally {
      running = false;
      movedAtNanos = nanoClock.getAsLong();
      rounds.incrementAndGet();
      spentNanos.addAndGet(movedAtNanos - start);
    }
  }

  private void failed(Throwable cause) {
    int failures = ++failuresInRow;
    long now = nanoClock.getAsLong();
    // The first failure with its stack, then a reminder each minute: an outage must not fill the
    // log.
    if (failures == 1) {
      LOG.warnf(cause, "Loop failed and tries again: loop=%s", name);
      saidAtNanos = now;
    } else if (now - saidAtNanos >= SAY_AGAIN_NANOS) {
      LOG.warnf("Loop still fails: loop=%s failed_rounds=%d cause=%s", name, failures, cause);
      saidAtNanos = now;
    }
  }

  /**
   * Whether the loop turns: its running round has not lasted, and its next one is not overdue, by
   * {@code patience} or more.
   */
  public boolean turns(Duration patience) {
    long allowed = patience.toNanos() + (running ? 0 : every.toNanos());
    return nanoClock.getAsLong() - movedAtNanos < allowed;
  }

  /** The loop's name. */
  public String name() {
    return name;
  }

  /** How long ago a round went well; empty when none has. */
  public Optional<Duration> sinceSuccess() {
    return succeeded
        ? Optional.of(Duration.ofNanos(nanoClock.getAsLong() - succeededAtNanos))
        : Optional.empty();
  }

  /** Notes that a round has worked off so many rows. */
  public void worked(int count) {
    rows.addAndGet(count);
  }

  /** Notes how many rows cannot be worked off and are passed over. */
  void passesOver(int count) {
    passedOver = count;
  }

  /** Rounds so far. */
  public long rounds() {
    return rounds.get();
  }

  /** Time that they took together. */
  public Duration spent() {
    return Duration.ofNanos(spentNanos.get());
  }

  /** Rows worked off so far. */
  public long rows() {
    return rows.get();
  }

  /** Rows that are passed over now: they need a person. */
  public int passedOver() {
    return passedOver;
  }

  /** Rounds that failed since the last that went well. */
  public int failuresInRow() {
    return failuresInRow;
  }
}
