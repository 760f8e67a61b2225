package io.jobscheduler.scheduler.queues;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** Steps of a switch of ageing. */
@ConfigMapping(prefix = "jobs.scheduler.queues")
public interface QueueConfig {

  /** Jobs looked at in one transaction. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int rekeyBatch();
}
