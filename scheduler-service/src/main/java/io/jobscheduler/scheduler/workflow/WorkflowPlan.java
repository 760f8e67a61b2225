package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.algorithms.graph.CycleFinder;
import io.jobscheduler.algorithms.graph.CyclicGraphException;
import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import io.jobscheduler.algorithms.graph.UnionFind;
import java.util.stream.Collectors;

/**
 * What is stored of a workflow's plan; arrays are parallel to the graph's job ids.
 *
 * @param levels 0 for jobs without parents
 * @param clusters number of the independent part that the job belongs to, from 0
 * @param critical whether the job lies on the critical path
 * @param ranks upward rank over the largest of the graph: 0 to 1
 * @param criticalPathLength in seconds: no number of workers ends it sooner, if its jobs run as
 *     long as expected
 */
record WorkflowPlan(
    int[] levels,
    int[] clusters,
    boolean[] critical,
    double[] ranks,
    int levelCount,
    int clusterCount,
    double criticalPathLength) {

  /**
   * Plans a workflow by the time that each job is expected to run. O(jobs + edges).
   *
   * @throws UnplannableException when the graph has a cycle, which the message names
   */
  static WorkflowPlan of(WorkflowGraph workflow) throws UnplannableException {
    int jobs = workflow.jobIds().length;
    ExecutionPlan plan;
    try {
      plan = KahnPlanner.plan(workflow.graph(), workflow.seconds());
    } catch (CyclicGraphException e) {
      throw new UnplannableException(nameCycle(workflow));
    }
    UnionFind clusters = UnionFind.of(workflow.graph());

    int[] levels = new int[jobs];
    double[] ranks = new double[jobs];
    for (int node = 0; node < jobs; node++) {
      levels[node] = plan.levelOf(node);
      ranks[node] = plan.relativeRank(node);
    }
    boolean[] critical = new boolean[jobs];
    for (int node : plan.criticalPath()) {
      critical[node] = true;
    }
    return new WorkflowPlan(
        levels,
        clusters.clusters(),
        critical,
        ranks,
        plan.levelCount(),
        clusters.count(),
        plan.criticalPathLength());
  }

  private static String nameCycle(WorkflowGraph workflow) {
    return CycleFinder.find(workflow.graph()).stream()
        .map(workflow.keys()::get)
        .collect(Collectors.joining(" → ", "its jobs form a cycle: ", ""));
  }
}
