package io.jobscheduler.api.bulk;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs: those that fit everything that is given, as in the list of jobs.
 *
 * @param state those in which the action is possible, unless some of them are named
 * @param workflow its id
 * @param schedule its name
 * @param worker the id of the one that has run it last
 * @param createdAfter made then or later
 * @param createdBefore made before then
 * @param error the fingerprint of the error that they died of
 * @param ids at most 1,000
 * @param all every job, in the states that are named if any: instead of anything else
 */
@Schema(name = "BulkFilter")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BulkFilter(
    @Nullable List<String> state,
    @Nullable String queue,
    @Nullable String type,
    @Nullable String tag,
    @Nullable String workflow,
    @Nullable String schedule,
    @Nullable String worker,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore,
    @Nullable String error,
    @Schema(maxItems = 1_000) @Nullable List<String> ids,
    @Nullable Boolean all) {}
