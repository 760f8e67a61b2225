package io.jobscheduler.api.bulk;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a bulk action, for the API's description; {@link BulkRequest} reads it. */
@Schema(name = "BulkActionRequest")
public record BulkActionBody(
    @Schema(
            required = true,
            enumeration = {"retry", "cancel", "delete", "discard"},
            description =
                "discard deletes dead jobs; delete those that have ended, and waiting ones where"
                    + " the filter names their state")
        String action,
    @Schema(required = true) BulkFilter filter,
    @Schema(maxLength = 1_000) @Nullable String reason,
    @Schema(defaultValue = "false", description = "only count; nothing is stored")
        @Nullable Boolean dryRun,
    @Schema(
            description =
                "that of a dry run: jobs that were made, or came into their state, later are not"
                    + " touched; now, if absent")
        @Nullable Instant snapshotAt,
    @Schema(
            minimum = "0",
            description =
                "the count of a dry run: nothing is done when there are more, 409. At most, and if"
                    + " absent, what the server is configured for: 1,000,000 if that is left alone")
        @Nullable Integer maxJobs,
    @Schema(
            minimum = "1",
            maximum = "10000",
            description =
                "retry only: so many first; the others when the first attempts of these have ended"
                    + " and no larger part of them than stopWhenFailureRatioOver (0 if absent) has"
                    + " failed")
        @Nullable Integer canary,
    @Schema(minimum = "0.01", maximum = "10000", description = "jobs per second at most")
        @Nullable Double ratePerSecond,
    @Schema(
            minimum = "0",
            maximum = "1",
            description =
                "retry only: ends the action when a larger part of the retried jobs has failed"
                    + " again, judged from ten on")
        @Nullable Double stopWhenFailureRatioOver) {}
