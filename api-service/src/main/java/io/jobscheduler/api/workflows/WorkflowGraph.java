package io.jobscheduler.api.workflows;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a workflow and what they need.
 *
 * @param version to be given as {@code since} the next time
 * @param full whether all of it is here; else what has changed since the version that was given
 * @param nodes in the order of the request
 * @param outside jobs of the project, outside the workflow, from which edges lead to it
 * @param levels of its plan; null before it is made
 * @param criticalPath keys, in order; empty before the plan is made
 */
public record WorkflowGraph(
    String version,
    boolean full,
    List<Node> nodes,
    List<Edge> edges,
    List<Outside> outside,
    @Nullable Integer levels,
    @Nullable Integer clusters,
    List<String> criticalPath) {
  /**
   * A job.
   *
   * @param type null, like the state, once the job's retention has ended
   * @param stateReason why it is in that state; null: nothing to say
   * @param gate join, time, signal or approval; null: a job that runs
   * @param join all_done, any_success or none_failed; null: all_success
   * @param level of the plan; null before it is made
   */
  @Schema(name = "WorkflowNode")
  public record Node(
      String key,
      String job,
      @Nullable String type,
      @Schema(ref = "JobState") @Nullable String state,
      @Nullable String stateReason,
      @Schema(enumeration = {"join", "time", "signal", "approval"}) @Nullable String gate,
      @Schema(enumeration = {"all_done", "any_success", "none_failed"}) @Nullable String join,
      @Nullable Integer level,
      @Nullable Integer cluster,
      @Nullable Boolean critical,
      @Nullable Duration expectedDuration,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt) {}

  /**
   * That {@code to} waits for {@code from}.
   *
   * @param from a key; null when it leads from outside
   * @param fromJob the id of a job outside the workflow; null when it leads from inside
   * @param on success, done or failure
   * @param outcome how its parent ended; null: it has not
   * @param met whether it holds its child back no longer
   */
  @Schema(name = "WorkflowEdge")
  public record Edge(
      @Nullable String from,
      @Nullable String fromJob,
      String to,
      @Schema(enumeration = {"success", "done", "failure"}) String on,
      @Schema(enumeration = {"succeeded", "dead", "cancelled", "skipped"}) @Nullable String outcome,
      boolean met) {}

  /**
   * A job that is not part of the workflow.
   *
   * @param state null, like the type, once its retention has ended
   * @param workflow the id of its own workflow; null: it has none
   * @param key its key there
   */
  @Schema(name = "WorkflowOutsideJob")
  public record Outside(
      String job,
      @Nullable String type,
      @Schema(ref = "JobState") @Nullable String state,
      @Nullable String workflow,
      @Nullable String key) {}
}
