package io.jobscheduler.scheduler.retention;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** When partitions are looked after. */
@ConfigMapping(prefix = "jobs.scheduler.retention")
public interface RetentionConfig {

  /** How often, besides the start of each term. */
  @WithDefault("PT1H")
  @DurationMin(minutes = 1)
  @DurationMax(hours = 12)
  Duration every();

  /**
   * Rows deleted in one transaction, where rows are deleted and not dropped with their partition.
   */
  @WithDefault("1000")
  @Min(1)
  @Max(1_000)
  int batch();

  /** How long log lines of attempts are kept, in whole days. */
  @WithDefault("P14D")
  @DurationMin(days = 1)
  @DurationMax(days = 365)
  Duration logs();
}
