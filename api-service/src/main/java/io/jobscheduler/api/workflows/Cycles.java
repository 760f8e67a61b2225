package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.CycleFinder;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.api.problem.ProblemException;
import java.util.List;
import java.util.function.IntFunction;

/** Refuses workflows that could never end, by the three-colour depth-first search. */
public final class Cycles {
  private static final int MOST_NAMED = 20;

  private Cycles() {}

  /**
   * Requires a graph without a cycle; a job that depends on itself is one.
   *
   * @throws ProblemException naming the cycle
   */
  public static void refuse(WorkflowRequest request) {
    refuse(Planning.graphOf(request), i -> request.jobs().get(i).key());
  }

  /**
   * The same of any graph, whose nodes have names.
   *
   * @throws ProblemException naming the cycle
   */
  static void refuse(Graph graph, IntFunction<String> keys) {
    List<String> cycle = CycleFinder.find(graph).stream().map(keys::apply).toList();
    if (!cycle.isEmpty()) {
      throw ProblemException.cycle(describe(cycle), cycle);
    }
  }

  private static String describe(List<String> cycle) {
    int jobs = cycle.size() - 1;
    return cycle.size() <= MOST_NAMED
        ? String.join(" → ", cycle)
        : String.join(" → ", cycle.subList(0, MOST_NAMED)) + " → … (" + jobs + " jobs)";
  }
}
