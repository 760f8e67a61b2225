package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a workflow, for the API's description; {@link WorkflowRequestReader} reads it. */
@Schema(name = "WorkflowRequest")
public record WorkflowBody(
    @Schema(required = true) String name,
    @Schema(
            enumeration = {"cancel", "hold"},
            defaultValue = "cancel",
            description = "what a job that failed does to those that need it")
        @Nullable String onFailure,
    @Schema(required = true, minItems = 1, maxItems = 20_000) List<WorkflowJobBody> jobs) {

  /** A job of a workflow. */
  @Schema(name = "WorkflowJobRequest")
  public record WorkflowJobBody(
      @Schema(required = true, description = "unique in the workflow") String key,
      @Schema(required = true) String type,
      @Schema(defaultValue = "default") @Nullable String queue,
      @Schema(ref = "AnyJson") @Nullable Object payload,
      @Schema(minimum = "0", maximum = "9", defaultValue = "4") @Nullable Integer priority,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "20") @Nullable Integer maxAttempts,
      @Nullable RetryPolicy retry,
      @Nullable Duration timeout,
      @Nullable Instant startBy,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable Integer cost,
      @Schema(minLength = 1, maxLength = 255) @Nullable String concurrencyKey,
      @Schema(description = "keys of the jobs it waits for, or {key, on}")
          @Nullable List<DependencyBody> dependsOn) {}

  /** What a job waits for; a string stands for a key with {@code on: success}. */
  @Schema(
      name = "Dependency",
      oneOf = {String.class, DependencyByOutcome.class})
  public interface DependencyBody {}

  /** What a job waits for. */
  @Schema(name = "DependencyByOutcome")
  public record DependencyByOutcome(
      @Schema(required = true) String key,
      @Schema(
              enumeration = {"success", "done", "failure"},
              defaultValue = "success")
          @Nullable String on) {}
}
