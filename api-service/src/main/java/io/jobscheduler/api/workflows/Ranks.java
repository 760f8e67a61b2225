package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import java.util.Map;

/**
 * How urgent each job of a workflow is from the moment it is stored: its upward rank over the
 * largest one. The leader reckons the same when it plans; but a root is ready at once, and the plan
 * never touches what is ready.
 */
final class Ranks {
  private Ranks() {}

  /**
   * The ranks, parallel to the request's jobs. O(jobs + edges).
   *
   * @param request without a cycle
   * @param typeSeconds the mean run time of types, in seconds
   */
  static Double[] of(WorkflowRequest request, Map<String, Double> typeSeconds) {
    double[] seconds = Durations.of(request.jobs(), typeSeconds).seconds();
    ExecutionPlan plan = KahnPlanner.plan(Planning.graphOf(request), seconds);
    Double[] ranks = new Double[seconds.length];
    for (int node = 0; node < ranks.length; node++) {
      ranks[node] = plan.relativeRank(node);
    }
    return ranks;
  }
}
