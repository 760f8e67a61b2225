package io.jobscheduler.api.schedules;

import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.api.workflows.WorkflowBody;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a schedule, for the API's description; {@link ScheduleRequestReader} reads it. */
@Schema(name = "ScheduleRequest")
public record ScheduleBody(
    @Schema(description = "needed in POST; else the one in the path") @Nullable String name,
    @Schema(maxLength = 1000) @Nullable String description,
    @Schema(description = "this or every: 5 fields, 6 or 7 with seconds first, or @daily and such")
        @Nullable String cron,
    @Schema(
            enumeration = {"unix", "quartz"},
            description = "told by the number of fields if not given")
        @Nullable String dialect,
    @Schema(description = "this or cron: whole seconds, PT1S to P3650D") @Nullable Duration every,
    @Schema(
            description =
                "an instant at which every falls; startAt, else 1970-01-01T00:00:00Z if not given")
        @Nullable Instant anchor,
    @Schema(defaultValue = "UTC", description = "IANA id, UTC or an offset such as +02:00")
        @Nullable String timeZone,
    @Schema(description = "nothing is planned before") @Nullable Instant startAt,
    @Schema(description = "nothing is planned from then on") @Nullable Instant endAt,
    @Schema(minimum = "1", description = "regular runs after which it is completed")
        @Nullable Integer maxRuns,
    @Schema(maxItems = 1000, description = "dates on which nothing is planned")
        @Nullable List<LocalDate> exclusions,
    @Schema(
            defaultValue = "PT0S",
            description =
                "a job starts up to so much later; at most half the smallest gap and PT1H")
        @Nullable Duration jitter,
    @Nullable MisfireBody misfire,
    @Nullable OverlapBody overlap,
    @Schema(
            minimum = "1",
            maximum = "1000",
            description = "paused after so many runs without success in a row; never if not given")
        @Nullable Integer autoPauseAfter,
    @Schema(description = "what each fire makes: this or workflow") @Nullable JobTemplateBody job,
    @Schema(description = "what each fire submits: this or job; at most 1,000 jobs, no startBy")
        @Nullable WorkflowBody workflow) {

  /** What to do with planned times seen over a minute late. */
  @Schema(name = "MisfireRequest")
  public record MisfireBody(
      @Schema(
              enumeration = {"fire_once", "fire_all", "skip"},
              defaultValue = "fire_once")
          @Nullable String policy,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "100") @Nullable Integer maxCatchUp,
      @Schema(defaultValue = "PT24H", description = "older misfires never run; at most P365D")
          @Nullable Duration window) {}

  /** What to do with a fire while a job of the schedule lives. */
  @Schema(name = "OverlapRequest")
  public record OverlapBody(
      @Schema(
              enumeration = {"skip", "allow", "queue_one", "queue_all", "cancel_previous"},
              defaultValue = "skip")
          @Nullable String policy,
      @Schema(
              minimum = "1",
              maximum = "1000",
              defaultValue = "100",
              description = "fires that wait at most under queue_all")
          @Nullable Integer bound) {}

  /** A job template: a job without runAt, delay and startBy. */
  @Schema(name = "JobTemplateRequest")
  public record JobTemplateBody(
      @Schema(required = true) String type,
      @Schema(defaultValue = "default") @Nullable String queue,
      @Schema(
              ref = "AnyJson",
              description =
                  "a string that is exactly {{plannedAt}}, {{plannedLocal}}, {{schedule}},"
                      + " {{trigger}}, {{sequence}} or {{missedCount}} is replaced at each fire")
          @Nullable Object payload,
      @Schema(minimum = "0", maximum = "9", defaultValue = "4") @Nullable Integer priority,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "20") @Nullable Integer maxAttempts,
      @Nullable RetryPolicy retry,
      @Nullable Duration timeout,
      @Schema(description = "not started so long after its fire it is cancelled; PT1S to P365D")
          @Nullable Duration startWithin,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable Integer cost,
      @Schema(minLength = 1, maxLength = 255) @Nullable String concurrencyKey,
      @Schema(maxItems = 20, description = "names; given back sorted, each once")
          @Nullable List<String> tags,
      @Schema(
              type = SchemaType.OBJECT,
              description = "any object up to 16 KiB, given back as typed")
          @Nullable Object metadata) {}

  /** A PATCH's body, a JSON Merge Patch (RFC 7396): what is absent stays, null is the default. */
  @Schema(name = "SchedulePatch")
  public record Patch(
      @Schema(description = "needed in POST; else the one in the path") @Nullable String name,
      @Schema(maxLength = 1000) @Nullable String description,
      @Schema(
              description =
                  "this or every: 5 fields, 6 or 7 with seconds first, or @daily and such")
          @Nullable String cron,
      @Schema(
              enumeration = {"unix", "quartz"},
              description = "told by the number of fields if not given")
          @Nullable String dialect,
      @Schema(description = "this or cron: whole seconds, PT1S to P3650D") @Nullable Duration every,
      @Schema(
              description =
                  "an instant at which every falls; startAt, else 1970-01-01T00:00:00Z if not"
                      + " given")
          @Nullable Instant anchor,
      @Schema(defaultValue = "UTC", description = "IANA id, UTC or an offset such as +02:00")
          @Nullable String timeZone,
      @Schema(description = "nothing is planned before") @Nullable Instant startAt,
      @Schema(description = "nothing is planned from then on") @Nullable Instant endAt,
      @Schema(minimum = "1", description = "regular runs after which it is completed")
          @Nullable Integer maxRuns,
      @Schema(maxItems = 1000, description = "dates on which nothing is planned")
          @Nullable List<LocalDate> exclusions,
      @Schema(
              defaultValue = "PT0S",
              description =
                  "a job starts up to so much later; at most half the smallest gap and PT1H")
          @Nullable Duration jitter,
      @Nullable MisfireBody misfire,
      @Nullable OverlapBody overlap,
      @Schema(
              minimum = "1",
              maximum = "1000",
              description =
                  "paused after so many runs without success in a row; never if not given")
          @Nullable Integer autoPauseAfter,
      @Schema(
              type = SchemaType.OBJECT,
              description = "members of the job template that change; null ends it")
          @Nullable Object job,
      @Schema(
              type = SchemaType.OBJECT,
              description = "members of the workflow that change; null ends it")
          @Nullable Object workflow) {}
}
