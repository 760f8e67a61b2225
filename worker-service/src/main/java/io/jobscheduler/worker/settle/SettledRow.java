package io.jobscheduler.worker.settle;

import org.jspecify.annotations.Nullable;

/**
 * A row that {@code jobs.settle} returned.
 *
 * @param verdict {@code settled}, {@code lease_lost}, {@code busy}, or {@code child_ready} for a
 *     child
 * @param state the state that followed, or null when it is not known
 * @param dueMicros microseconds until it is due, or null
 */
record SettledRow(
    long id,
    String verdict,
    @Nullable String state,
    @Nullable Long dueMicros,
    int queueId,
    int lane,
    long dispatchKey,
    int projectId) {}
