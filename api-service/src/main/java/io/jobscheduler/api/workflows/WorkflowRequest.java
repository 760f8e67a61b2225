package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow to submit: keys are unique and every edge leads between its jobs. Sub-workflows are
 * inlined already.
 *
 * @param onFailure cancel or hold
 * @param edges by position in {@code jobs}; each pair of jobs once
 * @param outside what jobs wait for that is not part of the request
 */
public record WorkflowRequest(
    String name,
    String onFailure,
    List<Member> jobs,
    List<Edge> edges,
    List<Outside> outside,
    Extras extras) {
  /** Kind of a workflow whose jobs may depend on each other. */
  public static final String WORKFLOW = "workflow";

  /** Kind of a workflow without edges. */
  public static final String BATCH = "batch";

  /** A workflow with nothing but jobs and edges. */
  public WorkflowRequest(String name, String onFailure, List<Member> jobs, List<Edge> edges) {
    this(name, onFailure, jobs, edges, List.of(), Extras.NONE);
  }

  /** The same, its jobs in that trace; null: in none. */
  WorkflowRequest withTraceparent(@Nullable String traceparent) {
    return new WorkflowRequest(
        name,
        onFailure,
        jobs,
        edges,
        outside,
        new Extras(
            extras.kind(),
            extras.deadlineAt(),
            extras.deadlineIn(),
            extras.callbacks(),
            traceparent));
  }

  /** A job and its key. */
  public record Member(String key, JobRequest job, Node node) {
    /** A job that is nothing more. */
    public Member(String key, JobRequest job) {
      this(key, job, Node.PLAIN);
    }

    /** The same under another key. */
    Member withKey(String other) {
      return new Member(other, job, node);
    }
  }

  /**
   * What a job is in the graph.
   *
   * @param expected how long it is expected to run; null: not said
   * @param join all_done, any_success or none_failed; null: all_success, as its edges say
   * @param gate what it waits for instead of running; null: an ordinary job
   * @param pointer where it stands in the request
   */
  public record Node(
      @Nullable Duration expected, @Nullable String join, @Nullable Gate gate, String pointer) {
    static final Node PLAIN = new Node(null, null, null, "");
  }

  /**
   * That the job at {@code child} waits for the one at {@code parent}.
   *
   * @param on success, done or failure
   */
  public record Edge(int parent, int child, String on) {}

  /**
   * That the job at {@code child} waits for one that exists already.
   *
   * @param job its id; null when it is named by a key of the workflow that grows
   * @param key its key; null when it is named by id
   * @param on success, done or failure
   * @param pointer where the request names it
   */
  public record Outside(
      int child, @Nullable Long job, @Nullable String key, String on, String pointer) {}

  /**
   * A job that is made when something happens to the workflow.
   *
   * @param event success, first_failure or completion
   * @param pointer where it stands in the request
   */
  public record Callback(String event, JobRequest job, String pointer) {}

  /**
   * What few workflows ask for.
   *
   * @param kind workflow or batch
   * @param deadlineAt the instant by which it has to end; null: none, or {@code deadlineIn}
   * @param deadlineIn the time after its submission by which it has to end; null: none, or {@code
   *     deadlineAt}
   * @param traceparent the W3C trace context that its jobs get; null: none
   */
  public record Extras(
      String kind,
      @Nullable Instant deadlineAt,
      @Nullable Duration deadlineIn,
      List<Callback> callbacks,
      @Nullable String traceparent) {
    static final Extras NONE = new Extras(WORKFLOW, null, null, List.of(), null);
  }
}
