package io.jobscheduler.worker.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was claimed: a lease, and what a handler needs.
 *
 * @param leaseToken proves the lease to whatever ends it
 * @param dispatchKey order inside (queue, lane), microseconds since the epoch, smaller first
 * @param workflowId the workflow, or null
 * @param attempt number of this attempt, from 1
 * @param priority 0 to 9, 9 most urgent
 * @param payload JSON as it was typed, or null
 * @param cost slots that it fills, 1 to 1000
 * @param timeout run time after which the attempt is ended, or null
 * @param startByNanos reading of the monotonic clock after which it may not start, or null
 * @param traceparent the W3C trace context under which it was handed in, or null
 */
public record ClaimedJob(
    long id,
    long leaseToken,
    long dispatchKey,
    int lane,
    int queueId,
    int projectId,
    QueueName queue,
    @Nullable Integer workflowId,
    int attempt,
    int maxAttempts,
    int priority,
    String type,
    @Nullable String payload,
    int cost,
    @Nullable Duration timeout,
    @Nullable Long startByNanos,
    @Nullable String traceparent) {

  /** Whether its time to start has passed. */
  public boolean isExpired(long nowNanos) {
    return startByNanos != null && nowNanos - startByNanos >= 0;
  }
}
