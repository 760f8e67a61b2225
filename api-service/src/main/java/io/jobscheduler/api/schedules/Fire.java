package io.jobscheduler.api.schedules;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What became of a planned time, of a trigger by hand, or of a range of planned times that were
 * missed.
 *
 * @param outcome fired, queued (waits for the run before it), skipped or missed
 * @param trigger scheduled, catch_up, backfill or manual
 * @param reason why it was skipped or missed
 * @param plannedAt null for a trigger by hand and for a missed range
 * @param local the same on the schedule's clock, with its offset
 * @param run 0, or above when a backfill ran the time again
 * @param sequence number of this run of the schedule, whatever its trigger
 * @param job that it made, or
 * @param workflow that it submitted
 * @param backfill that asked for it
 * @param missed the range, of outcome missed
 * @param standsFor planned times that were missed and for which this run stands
 * @param requestedBy who triggered it or asked for the backfill
 * @param firedAt when the job was made; minus plannedAt it is the lag
 */
@Schema(name = "ScheduleFire")
public record Fire(
    String id,
    @Schema(enumeration = {"fired", "queued", "skipped", "missed"}) String outcome,
    @Schema(enumeration = {"scheduled", "catch_up", "backfill", "manual"}) String trigger,
    @Nullable String reason,
    @Nullable Instant plannedAt,
    @Nullable String local,
    int run,
    @Nullable String sequence,
    @Nullable String job,
    @Nullable String workflow,
    @Nullable String backfill,
    Foreseen.@Nullable Missed missed,
    int standsFor,
    @Nullable String requestedBy,
    Instant decidedAt,
    @Nullable Instant firedAt) {}
