package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A job in full.
 *
 * @param summary what lists show, as members of the job itself
 * @param payload the JSON as it was typed; null when there is none or the caller may not see it
 * @param result the JSON that its handler gave
 * @param error its last error
 * @param leaseToken the lease it runs under, or last ran under; null for viewers
 */
public record Job(
    @JsonUnwrapped JobSummary summary,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String payload,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String result,
    @Nullable JobError error,
    RetryPolicy retry,
    @Nullable String leaseToken) {}
