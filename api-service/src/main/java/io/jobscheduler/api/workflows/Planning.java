package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import io.jobscheduler.algorithms.graph.UnionFind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Plans a workflow that has no cycle, as the leader would once it is stored. */
final class Planning {
  private Planning() {}

  /** The graph of a request. */
  static Graph graphOf(WorkflowRequest request) {
    Graph.Builder graph = Graph.builder(request.jobs().size());
    for (WorkflowRequest.Edge edge : request.edges()) {
      graph.edge(edge.parent(), edge.child());
    }
    return graph.build();
  }

  /**
   * The plan.
   *
   * <p>Cost: O(n log n + m) for n jobs and m edges.
   *
   * @param slots for which the makespan is reckoned
   */
  static WorkflowPlan plan(WorkflowRequest request, Durations durations, int slots) {
    Graph graph = graphOf(request);
    List<WorkflowRequest.Member> jobs = request.jobs();
    double[] seconds = durations.seconds();
    ExecutionPlan plan = KahnPlanner.plan(graph, seconds);
    UnionFind sets = UnionFind.of(graph);
    int[] clusters = sets.clusters();
    List<String> path = new ArrayList<>();
    Set<Integer> onPath = new HashSet<>();
    for (int node : plan.criticalPath()) {
      path.add(jobs.get(node).key());
      onPath.add(node);
    }
    double work = 0;
    for (int i = 0; i < seconds.length; i++) {
      work += jobs.get(i).node().gate() == null ? seconds[i] : 0;
    }
    List<WorkflowPlan.Node> nodes = new ArrayList<>(jobs.size());
    for (int i = 0; i < seconds.length; i++) {
      nodes.add(
          new WorkflowPlan.Node(
              jobs.get(i).key(),
              plan.levelOf(i),
              clusters[i],
              onPath.contains(i),
              Durations.of(seconds[i]),
              durations.sources()[i]));
    }
    return new WorkflowPlan(
        jobs.size(),
        graph.edgeCount(),
        plan.levelCount(),
        plan.widestLevel(),
        sets.count(),
        Durations.of(work),
        new WorkflowPlan.CriticalPath(path, Durations.of(plan.criticalPathLength())),
        slots,
        Durations.of(Math.max(plan.criticalPathLength(), work / slots)),
        Durations.of(Makespan.of(graph, plan, jobs, seconds, slots)),
        nodes);
  }
}
