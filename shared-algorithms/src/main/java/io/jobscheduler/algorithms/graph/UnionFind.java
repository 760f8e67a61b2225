package io.jobscheduler.algorithms.graph;

import java.util.Arrays;

/**
 * Disjoint sets of nodes 0..n-1 that can be united: the independent clusters of a graph.
 *
 * <p>Source: B. A. Galler and M. J. Fisher, "An improved equivalence algorithm", Communications of
 * the ACM 7(5), 1964; union by size with path compression: R. E. Tarjan, "Efficiency of a good but
 * not linear set union algorithm", Journal of the ACM 22(2), 1975.
 *
 * <p>Cost: m operations take O(m α(m, n)), with the inverse Ackermann function α below 5 for any
 * input that fits a computer; a single one O(log n). One int per node.
 *
 * <p>Not thread-safe, reading included: {@code find} shortens paths.
 */
public final class UnionFind {
  /** The parent of a node that has one, else minus the size of the set it stands for. */
  private final int[] parentOrSize;

  private int count;
  private long linksFollowed;

  /** Makes {@code nodes} sets of one node each. */
  public UnionFind(int nodes) {
    if (nodes < 0) {
      throw new IllegalArgumentException("there cannot be " + nodes + " nodes");
    }
    parentOrSize = new int[nodes];
    Arrays.fill(parentOrSize, -1);
    count = nodes;
  }

  /** Returns the clusters of a graph: nodes joined by edges, whatever their direction. */
  public static UnionFind of(Graph graph) {
    UnionFind clusters = new UnionFind(graph.nodeCount());
    for (int node = 0; node < graph.nodeCount(); node++) {
      for (int i = 0; i < graph.childCount(node); i++) {
        clusters.union(node, graph.child(node, i));
      }
    }
    return clusters;
  }

  /**
   * Makes one set of the sets of {@code a} and {@code b}.
   *
   * @return whether they were two
   */
  public boolean union(int a, int b) {
    int larger = find(a);
    int smaller = find(b);
    if (larger == smaller) {
      return false;
    }
    if (parentOrSize[larger] > parentOrSize[smaller]) {
      int swapped = larger;
      larger = smaller;
      smaller = swapped;
    }
    parentOrSize[larger] += parentOrSize[smaller];
    parentOrSize[smaller] = larger;
    count--;
    return true;
  }

  /** Returns the node that stands for the set of {@code node} until the next union with it. */
  public int find(int node) {
    int root = node;
    while (parentOrSize[root] >= 0) {
      root = parentOrSize[root];
      linksFollowed++;
    }
    while (parentOrSize[node] >= 0) {
      int parent = parentOrSize[node];
      parentOrSize[node] = root;
      node = parent;
    }
    return root;
  }

  /** Returns how many nodes the set of {@code node} has. */
  public int sizeOf(int node) {
    return -parentOrSize[find(node)];
  }

  /** Returns the number of sets. */
  public int count() {
    return count;
  }

  /**
   * Returns the number of each node's set: 0 to {@code count() - 1}, in the order of the sets'
   * smallest nodes. O(n).
   */
  public int[] clusters() {
    int[] ofRoot = new int[parentOrSize.length];
    Arrays.fill(ofRoot, -1);
    int[] clusters = new int[parentOrSize.length];
    int next = 0;
    for (int node = 0; node < clusters.length; node++) {
      int root = find(node);
      if (ofRoot[root] < 0) {
        ofRoot[root] = next++;
      }
      clusters[node] = ofRoot[root];
    }
    return clusters;
  }

  /**
   * How many links from a node to its parent {@code find} has followed: the measure of its cost.
   */
  long linksFollowed() {
    return linksFollowed;
  }
}
