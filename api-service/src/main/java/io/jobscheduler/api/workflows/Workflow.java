package io.jobscheduler.api.workflows;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as the API shows it.
 *
 * @param kind workflow, or batch: its jobs depend on nothing
 * @param state running; failing: a job has failed, others still live; held: what is left waits for
 *     somebody's decision; succeeded, failed or cancelled
 * @param onFailure what a failed job does to those that need it: cancel or hold
 * @param deadline what has not ended by then is cancelled, and the workflow fails; null: none
 * @param deadlinePassedAt when that happened; null: it did not
 * @param pausedAt since when none of its jobs become ready; null: it is not paused
 * @param plannedAt when its plan was made; null before
 * @param counts its jobs by state; only states that occur
 * @param jobs how many it has
 * @param progress the part of them that has ended, 0 to 1
 * @param levels of its plan: jobs of one level do not need each other
 * @param clusters parts that have nothing to do with each other
 * @param criticalPathLength the least time it can take, in seconds
 * @param callbacks jobs that are made when something happens to it; null in lists
 */
public record Workflow(
    String id,
    String name,
    @Schema(enumeration = {"workflow", "batch"}) String kind,
    @Schema(enumeration = {"running", "failing", "held", "succeeded", "failed", "cancelled"})
        String state,
    @Schema(enumeration = {"cancel", "hold"}) String onFailure,
    Instant createdAt,
    @Nullable Instant deadline,
    @Nullable Instant deadlinePassedAt,
    @Nullable Instant pausedAt,
    @Nullable String pausedBy,
    @Nullable String pauseReason,
    @Nullable Instant plannedAt,
    @Nullable Instant finishedAt,
    Map<String, Long> counts,
    int jobs,
    double progress,
    @Nullable Integer levels,
    @Nullable Integer clusters,
    @Nullable Double criticalPathLength,
    @Nullable List<Callback> callbacks) {
  /**
   * A job that is made when something happens to the workflow.
   *
   * @param firedAt when it was made; null: not yet
   * @param job its id, then
   */
  @Schema(name = "WorkflowCallback")
  public record Callback(
      @Schema(enumeration = {"success", "first_failure", "completion"}) String event,
      @Nullable Instant firedAt,
      @Nullable String job) {}

  Workflow with(List<Callback> its) {
    return new Workflow(
        id,
        name,
        kind,
        state,
        onFailure,
        createdAt,
        deadline,
        deadlinePassedAt,
        pausedAt,
        pausedBy,
        pauseReason,
        plannedAt,
        finishedAt,
        counts,
        jobs,
        progress,
        levels,
        clusters,
        criticalPathLength,
        its);
  }
}
