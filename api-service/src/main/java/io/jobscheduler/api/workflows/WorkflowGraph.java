package io.jobscheduler.api.workflows;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs of a workflow and what they need. */
public record WorkflowGraph(List<Node> nodes, List<Edge> edges) {
  /**
   * A job.
   *
   * @param type null, like the state, once the job's retention has ended
   * @param level of the plan; null before it is made
   */
  public record Node(
      String key,
      String job,
      @Nullable String type,
      @Nullable String state,
      @Nullable Integer level,
      @Nullable Integer cluster,
      @Nullable Boolean critical,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt) {}

  /**
   * That {@code to} waits for {@code from}.
   *
   * @param on success, done or failure
   */
  public record Edge(String from, String to, String on) {}
}
