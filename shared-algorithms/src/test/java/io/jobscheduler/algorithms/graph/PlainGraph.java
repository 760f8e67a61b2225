package io.jobscheduler.algorithms.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A graph as a list of edges, and its properties computed the plainest way, however slow. */
record PlainGraph(int nodes, List<Edge> edges, double[] durations) {

  record Edge(int parent, int child) {}

  static PlainGraph random(Random random, boolean acyclic) {
    int nodes = random.nextInt(12);
    List<Edge> edges = new ArrayList<>();
    int wanted = nodes == 0 ? 0 : random.nextInt(2 * nodes);
    int[] label = shuffled(random, nodes);
    while (edges.size() < wanted) {
      int a = random.nextInt(nodes);
      int b = random.nextInt(nodes);
      if (!acyclic) {
        edges.add(new Edge(a, b));
      } else if (a != b) {
        edges.add(new Edge(label[Math.min(a, b)], label[Math.max(a, b)]));
      } else {
        wanted--;
      }
    }
    // Whole numbers, so that sums do not depend on the order of addition.
    double[] durations = random.ints(nodes, 0, 5).asDoubleStream().toArray();
    return new PlainGraph(nodes, edges, durations);
  }

  private static int[] shuffled(Random random, int nodes) {
    int[] label = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      int j = random.nextInt(i + 1);
      label[i] = label[j];
      label[j] = i;
    }
    return label;
  }

  Graph graph() {
    Graph.Builder builder = Graph.builder(nodes);
    edges.forEach(edge -> builder.edge(edge.parent, edge.child));
    return builder.build();
  }

  /** Whether a path of at least one edge leads from the first node to the second. */
  boolean[][] reaches() {
    boolean[][] reaches = new boolean[nodes][nodes];
    edges.forEach(edge -> reaches[edge.parent][edge.child] = true);
    for (int via = 0; via < nodes; via++) {
      for (int from = 0; from < nodes; from++) {
        for (int to = 0; to < nodes; to++) {
          reaches[from][to] |= reaches[from][via] && reaches[via][to];
        }
      }
    }
    return reaches;
  }

  /** How many nodes lie on a cycle or behind one. */
  int cyclicOrBehind() {
    boolean[][] reaches = reaches();
    int count = 0;
    for (int node = 0; node < nodes; node++) {
      boolean stuck = false;
      for (int other = 0; other < nodes; other++) {
        stuck |= reaches[other][other] && (other == node || reaches[other][node]);
      }
      count += stuck ? 1 : 0;
    }
    return count;
  }

  /** Raises levels along edges until nothing changes; for acyclic graphs. */
  int[] levels() {
    int[] level = new int[nodes];
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Edge edge : edges) {
        if (level[edge.child] <= level[edge.parent]) {
          level[edge.child] = level[edge.parent] + 1;
          changed = true;
        }
      }
    }
    return level;
  }

  int levelCount() {
    return Arrays.stream(levels()).max().orElse(-1) + 1;
  }

  int widestLevel() {
    int[] widths = new int[nodes + 1];
    for (int level : levels()) {
      widths[level]++;
    }
    return Arrays.stream(widths).max().orElse(0);
  }

  /** Raises ranks along edges until nothing changes; for acyclic graphs. */
  double[] upwardRanks() {
    double[] rank = durations.clone();
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Edge edge : edges) {
        double through = durations[edge.parent] + rank[edge.child];
        if (through > rank[edge.parent]) {
          rank[edge.parent] = through;
          changed = true;
        }
      }
    }
    return rank;
  }

  double criticalPathLength() {
    return Arrays.stream(upwardRanks()).max().orElse(0);
  }

  double totalWork() {
    return Arrays.stream(durations).sum();
  }

  /** Each node's cluster named by its smallest node, by relabelling. */
  int[] clusterNames() {
    int[] name = new int[nodes];
    Arrays.setAll(name, node -> node);
    for (Edge edge : edges) {
      int kept = Math.min(name[edge.parent], name[edge.child]);
      int replaced = Math.max(name[edge.parent], name[edge.child]);
      for (int node = 0; node < nodes; node++) {
        name[node] = name[node] == replaced ? kept : name[node];
      }
    }
    return name;
  }

  int clusterCount() {
    return (int) Arrays.stream(clusterNames()).distinct().count();
  }
}
