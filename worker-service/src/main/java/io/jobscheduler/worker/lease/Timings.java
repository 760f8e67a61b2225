package io.jobscheduler.worker.lease;

import java.time.Duration;

/**
 * How often a worker beats and when its silence counts. All workers and schedulers of one database
 * must agree on the timeout.
 *
 * @param beat between two beats, at least 100 ms
 * @param timeout silence after which a worker is lost, at least five beats
 */
public record Timings(Duration beat, Duration timeout) {
  private static final Duration SHORTEST_BEAT = Duration.ofMillis(100);
  private static final int LEAST_BEATS_PER_TIMEOUT = 5;

  /**
   * Checks the relations.
   *
   * @throws IllegalArgumentException when the fences could fall after the loss
   */
  public Timings {
    if (beat.compareTo(SHORTEST_BEAT) < 0) {
      throw new IllegalArgumentException(
          "jobs.worker.beat is " + beat + ", it must be at least " + SHORTEST_BEAT);
    }
    if (timeout.compareTo(beat.multipliedBy(LEAST_BEATS_PER_TIMEOUT)) < 0) {
      throw new IllegalArgumentException(
          "jobs.worker.timeout is "
              + timeout
              + ", it must be at least five times jobs.worker.beat, which is "
              + beat);
    }
  }

  /** With a broken connection, leases are trusted for so long after the last confirmed beat. */
  public Duration fenceWhenBroken() {
    return beat.multipliedBy(2);
  }

  /** With a connection that is merely silent, leases are trusted for so long. */
  public Duration fenceWhenSilent() {
    return timeout.multipliedBy(4).dividedBy(5);
  }
}
