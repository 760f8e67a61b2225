package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobRequest;
import java.util.List;

/**
 * A workflow to submit: keys are unique, every edge leads between them, and there is no cycle.
 *
 * @param onFailure cancel or hold
 * @param edges by position in {@code jobs}
 */
public record WorkflowRequest(String name, String onFailure, List<Member> jobs, List<Edge> edges) {
  /** A job and its key. */
  public record Member(String key, JobRequest job) {}

  /**
   * That the job at {@code child} waits for the one at {@code parent}.
   *
   * @param on success, done or failure
   */
  public record Edge(int parent, int child, String on) {}
}
