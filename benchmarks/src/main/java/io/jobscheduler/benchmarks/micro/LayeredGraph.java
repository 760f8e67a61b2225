package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.algorithms.graph.Graph;
import java.util.SplittableRandom;

/** Makes acyclic graphs as large workflows have: about four edges per node, in random order. */
final class LayeredGraph {
  private static final int WIDTH = 100;
  private static final int PARENTS = 4;

  private LayeredGraph() {}

  /** Returns a graph in levels of 100 nodes, each node with four parents in the level before. */
  static Graph of(int nodes) {
    SplittableRandom random = new SplittableRandom(1);
    Graph.Builder builder = Graph.builder(nodes);
    for (int child = nodes - 1; child >= WIDTH; child--) {
      int levelBefore = (child / WIDTH - 1) * WIDTH;
      for (int i = 0; i < PARENTS; i++) {
        builder.edge(levelBefore + random.nextInt(WIDTH), child);
      }
    }
    return builder.build();
  }

  static double[] durations(int nodes) {
    return new SplittableRandom(2).doubles(nodes, 1, 100).toArray();
  }
}
