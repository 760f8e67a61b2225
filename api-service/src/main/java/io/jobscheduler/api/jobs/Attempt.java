package io.jobscheduler.api.jobs;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One run of a job.
 *
 * @param generation how often the job had been brought back before
 * @param attempt its number in its generation, from 1
 * @param outcome succeeded, failed, lost, released, cancelled, snoozed, timed_out, revoked or
 *     running
 */
public record Attempt(
    int generation,
    int attempt,
    @Schema(
            enumeration = {
              "succeeded",
              "failed",
              "lost",
              "released",
              "cancelled",
              "snoozed",
              "timed_out",
              "revoked",
              "running"
            })
        String outcome,
    @Nullable String worker,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable JobError error) {}
