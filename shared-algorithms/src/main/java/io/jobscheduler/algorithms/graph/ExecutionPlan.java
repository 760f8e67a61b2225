package io.jobscheduler.algorithms.graph;

import java.util.Arrays;

/**
 * In which order, and how much in parallel, the nodes of an acyclic graph can run.
 *
 * <p>Made by {@link KahnPlanner}. Durations and ranks are in the unit of the durations it was
 * given.
 *
 * <p>Cost: reading one node's value is O(1); methods that return arrays copy them.
 *
 * <p>Immutable, so thread-safe.
 */
public final class ExecutionPlan {
  private final int[] order;
  private final int[] level;
  private final int[] levelStarts;
  private final double[] upwardRank;
  private final int[] criticalPath;

  ExecutionPlan(
      int[] order, int[] level, int[] levelStarts, double[] upwardRank, int[] criticalPath) {
    this.order = order;
    this.level = level;
    this.levelStarts = levelStarts;
    this.upwardRank = upwardRank;
    this.criticalPath = criticalPath;
  }

  /** Returns all nodes, parents before children, sorted by level. */
  public int[] order() {
    return order.clone();
  }

  /** Returns the number of levels: the nodes of the longest chain; 0 for a graph without nodes. */
  public int levelCount() {
    return levelStarts.length - 1;
  }

  /** Returns a node's level: 0 without parents, else one more than the highest of its parents. */
  public int levelOf(int node) {
    return level[node];
  }

  /**
   * Returns the nodes of one level, which can run together once the levels before it are done.
   *
   * @param level 0 to {@code levelCount() - 1}
   */
  public int[] nodesAt(int level) {
    return Arrays.copyOfRange(order, levelStarts[level], levelStarts[level + 1]);
  }

  /** Returns how many nodes the widest level has. */
  public int widestLevel() {
    int widest = 0;
    for (int i = 0; i < levelCount(); i++) {
      widest = Math.max(widest, levelStarts[i + 1] - levelStarts[i]);
    }
    return widest;
  }

  /** Returns the longest path by duration, from a node without parents to one without children. */
  public int[] criticalPath() {
    return criticalPath.clone();
  }

  /**
   * Returns the sum of the durations on the critical path: no number of workers finishes sooner. It
   * is also the largest upward rank.
   */
  public double criticalPathLength() {
    return criticalPath.length == 0 ? 0 : upwardRank[criticalPath[0]];
  }

  /** Returns the length of the longest path from the node to the end, its own duration included. */
  public double upwardRank(int node) {
    return upwardRank[node];
  }

  /**
   * Returns the node's upward rank over the largest one: 0 to 1, and 0 for each node of a graph in
   * which nothing takes any time.
   */
  public double relativeRank(int node) {
    double longest = criticalPathLength();
    return longest == 0 ? 0 : upwardRank[node] / longest;
  }
}
