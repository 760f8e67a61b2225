package io.jobscheduler.scheduler.promote;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** How due jobs are found. */
@ConfigMapping(prefix = "jobs.scheduler.promote")
public interface PromoteConfig {

  /** Jobs promoted in one transaction. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int batch();

  /**
   * How far ahead instants are known. Whoever enqueues something earlier sends a signal, so all
   * services need the same value.
   */
  @WithDefault("PT10M")
  @DurationMin(seconds = 10)
  @DurationMax(hours = 1)
  Duration lookAhead();

  /** How often the instants are read again, in case that a signal was lost. */
  @WithDefault("PT5S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 1)
  Duration lookEvery();

  /** Instants read at a time. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int window();

  /**
   * Checks the relations between the values.
   *
   * @throws IllegalStateException naming the keys, when the service must not start with them
   */
  static PromoteConfig checked(PromoteConfig config) {
    if (config.lookAhead().compareTo(config.lookEvery().multipliedBy(2)) < 0) {
      throw new IllegalStateException(
          "jobs.scheduler.promote.look-ahead must be at least 2 x look-every");
    }
    return config;
  }
}
