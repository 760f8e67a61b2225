package io.jobscheduler.api.workflows;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as the API shows it.
 *
 * @param state running, succeeded, failed or cancelled
 * @param onFailure what a failed job does to those that need it: cancel or hold
 * @param plannedAt when its plan was made; null before
 * @param counts its jobs by state; only states that occur
 * @param jobs how many it has
 * @param levels of its plan: jobs of one level do not need each other
 * @param clusters parts that have nothing to do with each other
 * @param criticalPathLength the least time it can take, in the plan's unit
 */
public record Workflow(
    String id,
    String name,
    String state,
    String onFailure,
    Instant createdAt,
    @Nullable Instant plannedAt,
    @Nullable Instant finishedAt,
    Map<String, Long> counts,
    int jobs,
    @Nullable Integer levels,
    @Nullable Integer clusters,
    @Nullable Double criticalPathLength) {}
