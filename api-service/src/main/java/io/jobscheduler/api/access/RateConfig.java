package io.jobscheduler.api.access;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** How often one caller may ask ({@code jobs.rate.*}). */
@ConfigMapping(prefix = "jobs.rate")
public interface RateConfig {
  /**
   * Requests a second that one user or key may send to this process in the long run; 0: no limit.
   */
  @WithDefault("1000")
  @Min(0)
  @Max(100_000)
  int requests();

  /** Requests that it may send at once. */
  @WithDefault("2000")
  @Min(1)
  @Max(1_000_000)
  int burst();
}
