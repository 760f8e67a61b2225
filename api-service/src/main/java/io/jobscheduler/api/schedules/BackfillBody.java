package io.jobscheduler.api.schedules;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a backfill, for the API's description; {@link BackfillRequest} reads it. */
@Schema(name = "BackfillRequest")
public record BackfillBody(
    @Schema(required = true, description = "inclusive") Instant from,
    @Schema(required = true, description = "exclusive, not ahead; at most 1,000 planned times")
        Instant to,
    @Schema(
            enumeration = {"allow", "queue_all", "skip"},
            defaultValue = "queue_all",
            description = "while a job of the schedule lives")
        @Nullable String overlap,
    @Schema(
            enumeration = {"missing", "failed", "all"},
            defaultValue = "missing",
            description =
                "times without a run; also those whose newest run failed; all but those that wait or live")
        @Nullable String reprocess,
    @Schema(minimum = "0", maximum = "9", defaultValue = "0", description = "of its jobs")
        @Nullable Integer priority,
    @Schema(defaultValue = "false", description = "only say what it would do")
        @Nullable Boolean dryRun) {}
