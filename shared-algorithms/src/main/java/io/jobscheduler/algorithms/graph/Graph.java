package io.jobscheduler.algorithms.graph;

import java.util.Arrays;

/**
 * A directed graph of nodes 0..n-1 in compressed sparse rows; an edge leads from parent to child.
 *
 * <p>A node's children keep the order in which their edges were added; parallel edges and loops are
 * kept as they are.
 *
 * <p>Source: compressed sparse row storage as in W. F. Tinney and J. W. Walker, "Direct solutions
 * of sparse network equations by optimally ordered triangular factorization", Proceedings of the
 * IEEE 55(11), 1967; rows filled by counting sort.
 *
 * <p>Cost: built in O(n + m); two ints per node and one per edge. Access is O(1).
 *
 * <p>Immutable, so thread-safe. The builder is not.
 */
public final class Graph {

  /** Collects edges. */
  public static final class Builder {
    private static final int INITIAL_CAPACITY = 16;

    private final int nodes;
    private int[] from = new int[INITIAL_CAPACITY];
    private int[] to = new int[INITIAL_CAPACITY];
    private int edges;

    private Builder(int nodes) {
      this.nodes = nodes;
    }

    /**
     * Adds the edge from a parent to its child.
     *
     * @throws IndexOutOfBoundsException when either is not a node of the graph
     */
    public Builder edge(int parent, int child) {
      checkNode(parent, nodes);
      checkNode(child, nodes);
      if (edges == from.length) {
        from = Arrays.copyOf(from, edges * 2);
        to = Arrays.copyOf(to, edges * 2);
      }
      from[edges] = parent;
      to[edges] = child;
      edges++;
      return this;
    }

    /** Returns the graph of the edges so far. */
    public Graph build() {
      int[] rows = new int[nodes + 1];
      int[] parents = new int[nodes];
      for (int i = 0; i < edges; i++) {
        rows[from[i] + 1]++;
        parents[to[i]]++;
      }
      for (int node = 0; node < nodes; node++) {
        rows[node + 1] += rows[node];
      }
      int[] free = Arrays.copyOf(rows, nodes);
      int[] children = new int[edges];
      for (int i = 0; i < edges; i++) {
        children[free[from[i]]++] = to[i];
      }
      return new Graph(rows, children, parents);
    }
  }

  private final int[] rows;
  private final int[] children;
  private final int[] parents;

  private Graph(int[] rows, int[] children, int[] parents) {
    this.rows = rows;
    this.children = children;
    this.parents = parents;
  }

  /**
   * Starts a graph of {@code nodes} nodes.
   *
   * @throws IllegalArgumentException when negative
   */
  public static Builder builder(int nodes) {
    if (nodes < 0) {
      throw new IllegalArgumentException("a graph cannot have " + nodes + " nodes");
    }
    return new Builder(nodes);
  }

  /** Returns the number of nodes, n. */
  public int nodeCount() {
    return parents.length;
  }

  /** Returns the number of edges, m. */
  public int edgeCount() {
    return children.length;
  }

  /** Returns how many edges lead from {@code node} to children. */
  public int childCount(int node) {
    return rows[node + 1] - rows[node];
  }

  /** Returns how many edges lead to {@code node} from parents. */
  public int parentCount(int node) {
    return parents[node];
  }

  /**
   * Returns a child.
   *
   * @param node the parent
   * @param index which of its edges, 0 to {@code childCount(node) - 1}
   * @throws IndexOutOfBoundsException when there is no such node or edge
   */
  public int child(int node, int index) {
    return children[rows[node] + checkIndex(index, childCount(node))];
  }

  private static int checkIndex(int index, int count) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException("edge " + index + " of " + count);
    }
    return index;
  }

  private static void checkNode(int node, int nodes) {
    if (node < 0 || node >= nodes) {
      throw new IndexOutOfBoundsException("node " + node + " of " + nodes);
    }
  }
}
