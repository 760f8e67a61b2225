package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a workflow, for the API's description; {@link WorkflowRequestReader} reads it. */
@Schema(name = "WorkflowRequest")
public record WorkflowBody(
    @Schema(required = true) String name,
    @Schema(
            enumeration = {"workflow", "batch"},
            defaultValue = "workflow",
            description = "a batch is a workflow whose jobs depend on nothing")
        @Nullable String kind,
    @Schema(
            enumeration = {"cancel", "hold"},
            defaultValue = "cancel",
            description = "what a job that failed does to those that need it")
        @Nullable String onFailure,
    @Schema(
            description =
                "an instant, or a duration from its submission (PT1S to P3650D): what has not ended by"
                    + " then is cancelled and the workflow fails")
        @Nullable String deadline,
    @Nullable CallbacksBody callbacks,
    @Schema(required = true, minItems = 1, maxItems = 20_000) List<WorkflowJobBody> jobs) {

  /** Jobs that are made when something happens to the workflow; no members of it. */
  @Schema(name = "WorkflowCallbacks")
  public record CallbacksBody(
      @Schema(description = "once it has succeeded") @Nullable CallbackBody onSuccess,
      @Schema(description = "once, when the first of its jobs has failed")
          @Nullable CallbackBody onFirstFailure,
      @Schema(description = "once it has ended, in whatever state")
          @Nullable CallbackBody onCompletion) {}

  /** A callback's job. */
  @Schema(name = "WorkflowCallbackJob")
  public record CallbackBody(
      @Schema(required = true) String type,
      @Schema(defaultValue = "default") @Nullable String queue,
      @Schema(
              ref = "AnyJson",
              description =
                  "the strings {{workflowId}}, {{workflow}}, {{workflowState}} and {{workflowEvent}} are"
                      + " replaced")
          @Nullable Object payload,
      @Schema(minimum = "0", maximum = "9", defaultValue = "4") @Nullable Integer priority,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "20") @Nullable Integer maxAttempts,
      @Nullable RetryPolicy retry,
      @Nullable Duration timeout,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable Integer cost,
      @Schema(minLength = 1, maxLength = 255) @Nullable String concurrencyKey,
      @Schema(maxItems = 20, description = "names; given back sorted, each once")
          @Nullable List<String> tags,
      @Schema(
              type = SchemaType.OBJECT,
              description = "any object up to 16 KiB, given back as typed")
          @Nullable Object metadata) {}

  /** A job of a workflow. */
  @Schema(name = "WorkflowJobRequest")
  public record WorkflowJobBody(
      @Schema(required = true, description = "unique in the workflow") String key,
      @Schema(description = "needed unless gate or workflow is given") @Nullable String type,
      @Schema(defaultValue = "default") @Nullable String queue,
      @Schema(ref = "AnyJson") @Nullable Object payload,
      @Schema(minimum = "0", maximum = "9", defaultValue = "4") @Nullable Integer priority,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "20") @Nullable Integer maxAttempts,
      @Nullable RetryPolicy retry,
      @Nullable Duration timeout,
      @Nullable Instant startBy,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable Integer cost,
      @Schema(minLength = 1, maxLength = 255) @Nullable String concurrencyKey,
      @Schema(maxItems = 20, description = "names; given back sorted, each once")
          @Nullable List<String> tags,
      @Schema(
              type = SchemaType.OBJECT,
              description = "any object up to 16 KiB, given back as typed")
          @Nullable Object metadata,
      @Schema(description = "for the plan; PT0S to P365D") @Nullable Duration expectedDuration,
      @Schema(description = "keys of the jobs it waits for, or {key, on}, or {job, on}")
          @Nullable List<DependencyBody> dependsOn,
      @Schema(
              enumeration = {"all_success", "all_done", "any_success", "none_failed"},
              defaultValue = "all_success",
              description = "when its dependencies count as met; excludes the on of each")
          @Nullable String join,
      @Schema(description = "it runs nothing, but waits; instead of type") @Nullable GateBody gate,
      @Schema(description = "it stands for these jobs; instead of type")
          @Nullable SubWorkflowBody workflow) {}

  /** What a gate waits for, once its dependencies are met: one of these. */
  @Schema(name = "Gate")
  public record GateBody(
      @Nullable Instant until,
      @Schema(name = "for") @Nullable Duration forDuration,
      @Nullable SignalBody signal,
      @Nullable ApprovalBody approval) {}

  /** A signal that somebody sends to the workflow. */
  @Schema(name = "SignalGate")
  public record SignalBody(@Schema(required = true) String name) {}

  /** Somebody's approval. */
  @Schema(name = "ApprovalGate")
  public record ApprovalBody(
      @Schema(description = "refused by then; never if not given") @Nullable Duration expiresIn) {}

  /** Jobs inside a job, their keys its own: {@code build} in {@code app} is {@code app:build}. */
  @Schema(name = "SubWorkflow")
  public record SubWorkflowBody(
      @Schema(required = true, minItems = 1) List<WorkflowJobBody> jobs) {}

  /** What a job waits for; a string stands for a key with {@code on: success}. */
  @Schema(
      name = "Dependency",
      oneOf = {String.class, DependencyByOutcome.class})
  public interface DependencyBody {}

  /** What a job waits for. */
  @Schema(name = "DependencyByOutcome")
  public record DependencyByOutcome(
      @Schema(description = "of a job of the same workflow") @Nullable String key,
      @Schema(description = "instead of key: the id of a job that the project has")
          @Nullable String job,
      @Schema(
              enumeration = {"success", "done", "failure"},
              defaultValue = "success")
          @Nullable String on) {}
}
