package io.jobscheduler.scheduler.retention;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
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
}
