package io.jobscheduler.scheduler.audit;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** Batches of sealing. */
@ConfigMapping(prefix = "jobs.scheduler.audit")
public interface AuditConfig {

  /** Audit rows sealed in one transaction, for which writers of others wait. */
  @WithDefault("500")
  @Min(1)
  @Max(1_000)
  int batch();
}
