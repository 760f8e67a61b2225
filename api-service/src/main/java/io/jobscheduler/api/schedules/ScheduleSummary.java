package io.jobscheduler.api.schedules;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as a list shows it.
 *
 * @param cron the expression as typed; null for one that fires every so often
 * @param dialect unix or quartz
 * @param inWords what its rule means
 * @param timeZone whose clock it follows; of {@code every}: whose dates are excluded
 * @param exclusions dates on which nothing is planned
 * @param jitter a job starts up to so much after its planned time
 * @param maxRuns regular runs after which it is completed
 * @param autoPauseAfter runs without success in a row after which it is paused
 * @param state active, paused, completed (no planned time is left) or disabled (it cannot be
 *     reckoned)
 * @param nextFireAt the next planned time; null unless active
 * @param lastPlannedAt the newest planned time that fired, waits or was skipped
 * @param runs regular runs so far
 * @param queued fires that wait for the run before them
 * @param failures runs in a row that ended without success, reckoned for autoPauseAfter only
 * @param template job or workflow
 * @param jobType of a job template
 * @param queue of a job template
 */
public record ScheduleSummary(
    String id,
    String name,
    @Nullable String description,
    Instant createdAt,
    Instant updatedAt,
    @Nullable String cron,
    @Schema(enumeration = {"unix", "quartz"}) @Nullable String dialect,
    @Nullable Duration every,
    @Nullable Instant anchor,
    @Nullable String inWords,
    String timeZone,
    @Nullable Instant startAt,
    @Nullable Instant endAt,
    List<LocalDate> exclusions,
    Duration jitter,
    @Nullable Integer maxRuns,
    MisfireOptions misfire,
    Overlap overlap,
    @Nullable Integer autoPauseAfter,
    @Schema(enumeration = {"active", "paused", "completed", "disabled"}) String state,
    @Nullable Pause paused,
    @Nullable String disabledReason,
    @Nullable Instant nextFireAt,
    @Nullable Instant lastPlannedAt,
    @Schema(description = "time-zone data by which nextFireAt was reckoned")
        @Nullable String tzdbVersion,
    int runs,
    int queued,
    int failures,
    @Schema(enumeration = {"job", "workflow"}) String template,
    @Nullable String jobType,
    @Nullable String queue) {

  /**
   * That it fires nothing for a while.
   *
   * @param until when it resumes by itself; null: when somebody resumes it
   */
  @Schema(name = "SchedulePause")
  public record Pause(
      Instant at, @Nullable String by, @Nullable String reason, @Nullable Instant until) {}
}
