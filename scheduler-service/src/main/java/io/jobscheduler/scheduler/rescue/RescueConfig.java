package io.jobscheduler.scheduler.rescue;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** When a worker counts as lost. Beat and timeout must be those of the workers. */
@ConfigMapping(prefix = "jobs.scheduler.rescue")
public interface RescueConfig {

  /** The workers' beat. */
  @WithDefault("PT2S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 1)
  Duration beat();

  /** Silence after which a worker is lost; at least five beats. */
  @WithDefault("PT15S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 30)
  Duration timeout();

  /** How often running jobs are looked over for workers that have no row. */
  @WithDefault("PT15S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 10)
  Duration absentEvery();

  /** How long the row of a worker that ended is kept. */
  @WithDefault("PT24H")
  @DurationMin(minutes = 1)
  @DurationMax(days = 365)
  Duration forgetAfter();

  /** Attempts ended in one transaction. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int batch();

  /** Silence after which a worker is lost when its session lock is gone: two and a half beats. */
  static Duration earlyLoss(RescueConfig config) {
    return config.beat().multipliedBy(5).dividedBy(2);
  }

  /**
   * Checks the relations between the values.
   *
   * @throws IllegalStateException naming the keys, when the service must not start with them
   */
  static RescueConfig checked(RescueConfig config) {
    if (config.timeout().compareTo(config.beat().multipliedBy(5)) < 0) {
      throw new IllegalStateException("jobs.scheduler.rescue.timeout must be at least 5 x beat");
    }
    return config;
  }
}
