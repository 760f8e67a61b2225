package io.jobscheduler.worker.claim;

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
    @Nullable String payload) {}
