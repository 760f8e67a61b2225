package io.jobscheduler.scheduler.cron;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** How schedules are fired. */
@ConfigMapping(prefix = "jobs.scheduler.cron")
public interface CronConfig {

  /** Schedules whose planned times are decided in one transaction. */
  @WithDefault("500")
  @Min(1)
  @Max(500)
  int batch();

  /** How far ahead planned times are known. Whoever changes a schedule sends a signal. */
  @WithDefault("PT10M")
  @DurationMin(seconds = 10)
  @DurationMax(hours = 1)
  Duration lookAhead();

  /** How often they are read again, in case that a signal was lost. */
  @WithDefault("PT5S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 1)
  Duration lookEvery();

  /** The same while fires wait for the run before them, or a backfill runs. */
  @WithDefault("PT0.5S")
  @DurationMin(millis = 50)
  @DurationMax(seconds = 10)
  Duration waitEvery();

  /** Schedules read at a look. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int window();

  /** How long the history of fires is kept. */
  @WithDefault("P90D")
  @DurationMin(days = 1)
  @DurationMax(days = 3650)
  Duration keepFires();
}
