package io.jobscheduler.algorithms.graph;

import java.util.Arrays;

/**
 * Plans the execution of an acyclic graph: order, levels, critical path and upward ranks.
 *
 * <p>Kahn's algorithm takes nodes without unplanned parents first in, first out; so the order it
 * makes is sorted by level, and a level is a slice of it. The order read backwards meets children
 * before their parents, which gives the ranks.
 *
 * <p>Source: A. B. Kahn, "Topological sorting of large networks", Communications of the ACM 5(11),
 * 1962; critical path: J. E. Kelley and M. R. Walker, "Critical-path planning and scheduling",
 * Eastern Joint Computer Conference 1959; upward rank: H. Topcuoglu, S. Hariri and M.-Y. Wu,
 * "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE
 * Transactions on Parallel and Distributed Systems 13(3), 2002 (here without transfer costs).
 *
 * <p>Cost: O(n + m) time, each edge looked at twice; three ints and one double per node.
 *
 * <p>{@link #plan} is thread-safe.
 */
public final class KahnPlanner {
  private final Graph graph;
  private final int[] order;
  private final int[] level;
  private long edgesSeen;

  KahnPlanner(Graph graph) {
    this.graph = graph;
    this.order = new int[graph.nodeCount()];
    this.level = new int[graph.nodeCount()];
  }

  /**
   * Returns the plan of {@code graph} when node i runs for {@code durations[i]}, in any unit.
   *
   * @throws CyclicGraphException when the graph has a cycle
   * @throws IllegalArgumentException when there is not one duration per node, or one of them is
   *     negative or not finite
   */
  public static ExecutionPlan plan(Graph graph, double[] durations) {
    return new KahnPlanner(graph).plan(durations);
  }

  ExecutionPlan plan(double[] durations) {
    checkDurations(durations);
    int planned = sort();
    if (planned < order.length) {
      throw new CyclicGraphException(order.length - planned);
    }
    double[] rank = upwardRanks(durations);
    return new ExecutionPlan(order, level, levelStarts(), rank, criticalPath(rank));
  }

  /** How many edges the planning has looked at: the measure of its cost. */
  long edgesSeen() {
    return edgesSeen;
  }

  private void checkDurations(double[] durations) {
    if (durations.length != order.length) {
      throw new IllegalArgumentException(
          durations.length + " durations for " + order.length + " nodes");
    }
    for (double duration : durations) {
      if (!(duration >= 0) || duration == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException("a duration of " + duration);
      }
    }
  }

  private int sort() {
    int[] waitingFor = new int[order.length];
    int end = 0;
    for (int node = 0; node < order.length; node++) {
      waitingFor[node] = graph.parentCount(node);
      if (waitingFor[node] == 0) {
        order[end++] = node;
      }
    }
    for (int next = 0; next < end; next++) {
      int node = order[next];
      for (int i = 0; i < graph.childCount(node); i++) {
        int child = graph.child(node, i);
        edgesSeen++;
        if (--waitingFor[child] == 0) {
          // The parent that comes last in the order has the highest level of all parents.
          level[child] = level[node] + 1;
          order[end++] = child;
        }
      }
    }
    return end;
  }

  /** Where each level begins in the order, and the end of the last one. */
  private int[] levelStarts() {
    int levels = order.length == 0 ? 0 : level[order[order.length - 1]] + 1;
    int[] starts = new int[levels + 1];
    for (int node : order) {
      starts[level[node] + 1]++;
    }
    for (int i = 0; i < levels; i++) {
      starts[i + 1] += starts[i];
    }
    return starts;
  }

  private double[] upwardRanks(double[] durations) {
    double[] rank = new double[order.length];
    for (int at = order.length - 1; at >= 0; at--) {
      int node = order[at];
      double behind = 0;
      for (int i = 0; i < graph.childCount(node); i++) {
        behind = Math.max(behind, rank[graph.child(node, i)]);
        edgesSeen++;
      }
      rank[node] = durations[node] + behind;
    }
    return rank;
  }

  private int[] criticalPath(double[] rank) {
    if (order.length == 0) {
      return new int[0];
    }
    int node = order[0];
    for (int other : order) {
      if (rank[other] > rank[node]) {
        node = other;
      }
    }
    int[] path = new int[order.length];
    int length = 0;
    path[length++] = node;
    while (graph.childCount(node) > 0) {
      node = highestRankedChild(node, rank);
      path[length++] = node;
    }
    return Arrays.copyOf(path, length);
  }

  private int highestRankedChild(int node, double[] rank) {
    int best = graph.child(node, 0);
    for (int i = 1; i < graph.childCount(node); i++) {
      int child = graph.child(node, i);
      if (rank[child] > rank[best]) {
        best = child;
      }
    }
    return best;
  }
}
