package io.jobscheduler.scheduler.workflow;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Batches and intervals of the leader's work on workflows. */
@ConfigMapping(prefix = "jobs.scheduler.workflow")
public interface WorkflowConfig {

  /** Children told of their parent's end in one transaction. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int releaseBatch();

  /** How often the sweep begins a walk over all blocked jobs. */
  @WithDefault("PT10S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 10)
  Duration sweepEvery();

  /** Blocked jobs swept in one transaction. */
  @WithDefault("1000")
  @Min(1)
  @Max(10_000)
  int sweepBatch();

  /** Workflows whose end is noted in one transaction. */
  @WithDefault("200")
  @Min(1)
  @Max(10_000)
  int finishBatch();

  /** When a workflow that could not be planned is tried again first; doubled each time. */
  @WithDefault("PT10S")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 10)
  Duration retryPlanAfter();
}
