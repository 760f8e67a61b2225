package io.jobscheduler.scheduler.leadership;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Timing of leadership. Every scheduler of a fleet needs the same values. */
@ConfigMapping(prefix = "jobs.scheduler.leadership")
public interface LeadershipConfig {

  /** How often the leader renews and a standby tries. */
  @WithDefault("PT1S")
  @DurationMin(millis = 100)
  @DurationMax(seconds = 2)
  Duration beat();

  /** The age of a renewal at which a standby ends the leader; at least five beats. */
  @WithDefault("PT10S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 5)
  Duration staleAfter();

  /** How long a loop may be stuck before the leader stops renewing; over twice a transaction. */
  @WithDefault("PT12S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 5)
  Duration stuckAfter();

  /** The longest that a leader transaction may last in all. */
  @WithDefault("PT5S")
  @DurationMin(millis = 200)
  @DurationMax(seconds = 5)
  Duration transactionLimit();

  /** The longest that one of its statements may last; less than the transaction. */
  @WithDefault("PT4S")
  @DurationMin(millis = 100)
  @DurationMax(seconds = 5)
  Duration statementLimit();

  /** The longest that it may be idle between two statements. */
  @WithDefault("PT2S")
  @DurationMin(millis = 100)
  @DurationMax(seconds = 5)
  Duration idleLimit();

  /**
   * Checks the relations between the values.
   *
   * @throws IllegalStateException naming the keys, when the service must not start with them
   */
  static LeadershipConfig checked(LeadershipConfig config) {
    require(
        config.staleAfter().compareTo(config.beat().multipliedBy(5)) >= 0,
        "jobs.scheduler.leadership.stale-after must be at least 5 x beat");
    require(
        config.statementLimit().compareTo(config.transactionLimit()) < 0,
        "jobs.scheduler.leadership.statement-limit must be below transaction-limit");
    require(
        config.idleLimit().compareTo(config.transactionLimit()) < 0,
        "jobs.scheduler.leadership.idle-limit must be below transaction-limit");
    require(
        config.stuckAfter().compareTo(config.transactionLimit().multipliedBy(2)) > 0,
        "jobs.scheduler.leadership.stuck-after must be over 2 x transaction-limit");
    return config;
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }
}
