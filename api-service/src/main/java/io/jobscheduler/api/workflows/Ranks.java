package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import java.util.List;
import java.util.Map;

/**
 * How urgent each job of a workflow is from the moment it is stored: its upward rank over the
 * largest one. The leader reckons the same when it plans; but a root is ready at once, and the plan
 * never touches what is ready.
 */
final class Ranks {
  /** Seconds that a job is taken to run of whose type nothing is known. */
  private static final double UNKNOWN = 1;

  private Ranks() {}

  /**
   * The ranks, parallel to the request's jobs. O(jobs + edges).
   *
   * @param request without a cycle
   * @param typeSeconds the mean run time of types, in seconds
   */
  static Double[] of(WorkflowRequest request, Map<String, Double> typeSeconds) {
    List<WorkflowRequest.Member> jobs = request.jobs();
    Graph.Builder graph = Graph.builder(jobs.size());
    request.edges().forEach(edge -> graph.edge(edge.parent(), edge.child()));
    double[] seconds =
        jobs.stream()
            .mapToDouble(member -> typeSeconds.getOrDefault(member.job().type(), UNKNOWN))
            .toArray();
    ExecutionPlan plan = KahnPlanner.plan(graph.build(), seconds);
    Double[] ranks = new Double[jobs.size()];
    for (int node = 0; node < ranks.length; node++) {
      ranks[node] = plan.relativeRank(node);
    }
    return ranks;
  }
}
