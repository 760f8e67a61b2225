package io.jobscheduler.algorithms.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds a cycle of a directed graph and names its nodes, by a depth-first search in three colours.
 *
 * <p>White nodes are unseen, grey ones lie on the path being followed, black ones lead to no cycle.
 * An edge to a grey node closes a cycle: the part of the path from that node on. The path is an
 * array, not the call stack.
 *
 * <p>Source: Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", section
 * "Depth-first search" (a graph is acyclic iff the search meets no grey node); R. Tarjan,
 * "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972.
 *
 * <p>Cost: O(n + m) time, each edge looked at once at most; two ints and a byte per node.
 *
 * <p>{@link #find} is thread-safe.
 */
public final class CycleFinder {
  private static final byte WHITE = 0;
  private static final byte GREY = 1;
  private static final byte BLACK = 2;

  private final Graph graph;
  private final byte[] colour;
  private final int[] nextEdge;
  private final int[] path;
  private int length;
  private long edgesSeen;

  CycleFinder(Graph graph) {
    this.graph = graph;
    this.colour = new byte[graph.nodeCount()];
    this.nextEdge = new int[graph.nodeCount()];
    this.path = new int[graph.nodeCount()];
  }

  /**
   * Returns a cycle as {@code a, b, c, a}: the nodes in the direction of the edges, the first again
   * at the end; empty when the graph has none. Which one is found depends only on the graph.
   */
  public static List<Integer> find(Graph graph) {
    return new CycleFinder(graph).search();
  }

  List<Integer> search() {
    for (int root = 0; root < graph.nodeCount(); root++) {
      if (colour[root] == WHITE) {
        List<Integer> cycle = searchFrom(root);
        if (!cycle.isEmpty()) {
          return cycle;
        }
      }
    }
    return List.of();
  }

  /** How many edges the search has looked at: the measure of its cost. */
  long edgesSeen() {
    return edgesSeen;
  }

  private List<Integer> searchFrom(int root) {
    enter(root);
    while (length > 0) {
      int node = path[length - 1];
      if (nextEdge[node] == graph.childCount(node)) {
        colour[node] = BLACK;
        length--;
        continue;
      }
      int child = graph.child(node, nextEdge[node]++);
      edgesSeen++;
      if (colour[child] == GREY) {
        return cycleFrom(child);
      }
      if (colour[child] == WHITE) {
        enter(child);
      }
    }
    return List.of();
  }

  private void enter(int node) {
    colour[node] = GREY;
    path[length++] = node;
  }

  private List<Integer> cycleFrom(int first) {
    int start = length - 1;
    while (path[start] != first) {
      start--;
    }
    List<Integer> cycle = new ArrayList<>();
    for (int i = start; i < length; i++) {
      cycle.add(path[i]);
    }
    cycle.add(first);
    return cycle;
  }
}
