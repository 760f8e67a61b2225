package io.jobscheduler.scheduler.expiry;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** Batches of expiry. */
@ConfigMapping(prefix = "jobs.scheduler.expiry")
public interface ExpiryConfig {

  /** Jobs cancelled in one transaction. */
  @WithDefault("500")
  @Min(1)
  @Max(10_000)
  int batch();
}
