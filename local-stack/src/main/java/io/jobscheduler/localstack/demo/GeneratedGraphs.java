package io.jobscheduler.localstack.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Graphs of the shapes that the given ones have, for whoever does not have those. */
public final class GeneratedGraphs {
  private static final double LONGEST_SECONDS = 100;

  private GeneratedGraphs() {}

  /**
   * A generated graph with what its making says about it.
   *
   * @param levels nodes of its longest chain
   * @param clusters parts without an edge between them
   */
  public record Generated(WorkflowGraph graph, int levels, int clusters) {}

  /** Some 6,000 tasks in 11 graphs, the same every time. */
  public static List<Generated> all() {
    return List.of(
        layered("chain", 1, 1, 1, 1, 1, 1),
        layered("fork-join", 1, 1, 8, 1),
        layered("two-sources-wide", 1, 2, 1_000, 1),
        layered("into-one", 1, 1_000, 1),
        layered("diamonds", 1, 1, 2, 1, 2, 1, 2, 1, 2, 1),
        layered("staged", 1, 1, 175, 175, 175, 175, 9, 3, 1, 1),
        layered("montage", 1, 120, 1_240, 1, 1, 120, 1, 1, 1),
        layered("cycles", 2, 80, 160, 80, 10, 1),
        layered("genomes", 22, 26, 14, 1),
        layered("long", 1, 1, 9, 3, 9, 3, 9, 3, 9, 3, 9, 3, 9, 1),
        layered("chains-apart", 40, 1, 1, 1));
  }

  /**
   * Some clusters of levels of these widths. Each node of a level is joined to one of the next, and
   * each of the next to one of it; a cluster is in one piece because some level is one wide.
   */
  private static Generated layered(String name, int clusters, int... widths) {
    Random random = new Random(name.hashCode());
    List<WorkflowGraph.Task> tasks = new ArrayList<>();
    for (int cluster = 0; cluster < clusters; cluster++) {
      List<String> above = List.of();
      for (int width : widths) {
        above = addLevel(tasks, name, above, width, random);
      }
    }
    return new Generated(new WorkflowGraph("generated-" + name, tasks), widths.length, clusters);
  }

  private static List<String> addLevel(
      List<WorkflowGraph.Task> tasks, String name, List<String> above, int width, Random random) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      List<String> parents = new ArrayList<>();
      for (int p = i % Math.max(above.size(), 1); p < above.size(); p += width) {
        parents.add(above.get(p));
      }
      String key = WorkflowGraph.key(name, tasks.size());
      tasks.add(new WorkflowGraph.Task(key, random.nextDouble() * LONGEST_SECONDS, parents));
      keys.add(key);
    }
    return keys;
  }
}
