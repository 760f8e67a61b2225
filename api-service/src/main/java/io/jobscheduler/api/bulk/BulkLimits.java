package io.jobscheduler.api.bulk;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** Limits on bulk actions ({@code jobs.bulk.*}). */
@ConfigMapping(prefix = "jobs.bulk")
public interface BulkLimits {
  /**
   * Most jobs that one action may be for: what becomes of each is stored, about 100 bytes, until
   * the action is forgotten.
   */
  @WithDefault("1000000")
  @Min(1)
  @Max(100_000_000)
  int mostJobs();
}
