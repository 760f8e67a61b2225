package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.jobscheduler.api.jobs.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The workflow that each fire submits, as the API shows it. */
public record WorkflowTemplate(String name, String onFailure, List<Member> jobs) {
  WorkflowTemplate withoutPayloads() {
    return new WorkflowTemplate(
        name, onFailure, jobs.stream().map(Member::withoutPayload).toList());
  }

  /** A job of it. */
  @Schema(name = "WorkflowTemplateJob")
  public record Member(
      String key,
      String type,
      String queue,
      @JsonRawValue @Schema(ref = "AnyJson") @Nullable String payload,
      int priority,
      int maxAttempts,
      @Nullable RetryPolicy retry,
      @Nullable Duration timeout,
      int cost,
      @Nullable String concurrencyKey,
      List<String> tags,
      @JsonRawValue @Schema(ref = "AnyJson") @Nullable String metadata,
      List<Need> dependsOn) {
    Member withoutPayload() {
      return new Member(
          key,
          type,
          queue,
          null,
          priority,
          maxAttempts,
          retry,
          timeout,
          cost,
          concurrencyKey,
          tags,
          metadata,
          dependsOn);
    }
  }

  /**
   * What a job waits for.
   *
   * @param on success, done or failure
   */
  @Schema(name = "WorkflowTemplateDependency")
  public record Need(String key, String on) {}
}
