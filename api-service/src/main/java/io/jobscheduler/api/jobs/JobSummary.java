package io.jobscheduler.api.jobs;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A job as a list shows it.
 *
 * @param stateReason why it is in this state, when that is not plain
 * @param attempt how many attempts have been counted
 * @param readyAt since when it may be, or was, claimed
 * @param workflowKey its key in the workflow
 * @param worker the worker that runs it, or ran its last attempt
 * @param errorSummary the beginning of its last error
 */
public record JobSummary(
    String id,
    String type,
    String queue,
    @Schema(ref = "JobState") String state,
    @Nullable String stateReason,
    int priority,
    int attempt,
    int maxAttempts,
    Instant createdAt,
    @Nullable Instant runAt,
    @Nullable Instant readyAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable String workflow,
    @Nullable String workflowKey,
    @Nullable String worker,
    @Nullable String errorSummary) {
  /** The same for a key of some queues: why a job was skipped names a parent, of any queue. */
  JobSummary withoutParents() {
    return errorSummary == null || !state.equals("skipped")
        ? this
        : new JobSummary(
            id,
            type,
            queue,
            state,
            stateReason,
            priority,
            attempt,
            maxAttempts,
            createdAt,
            runAt,
            readyAt,
            startedAt,
            finishedAt,
            workflow,
            workflowKey,
            worker,
            null);
  }
}
