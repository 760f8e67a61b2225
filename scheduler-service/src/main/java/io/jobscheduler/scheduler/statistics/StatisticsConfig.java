package io.jobscheduler.scheduler.statistics;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** How finished jobs are counted. */
@ConfigMapping(prefix = "jobs.scheduler.statistics")
public interface StatisticsConfig {

  /** How long a transaction that began before a minute's end can hold up that minute's count. */
  @WithDefault("PT2M")
  @DurationMin(seconds = 30)
  @DurationMax(hours = 1)
  Duration patience();
}
