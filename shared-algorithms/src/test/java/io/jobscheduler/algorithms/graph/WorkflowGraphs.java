package io.jobscheduler.algorithms.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The workflow graphs to test on, each with what an independent program computed for it.
 *
 * <p>They stay outside the repository. Where their folder is missing, generated graphs of the same
 * shapes take their place, with the plain model as the independent program.
 */
final class WorkflowGraphs {

  /** What is expected of a workflow; times in seconds. */
  record Expected(
      int tasks,
      int edges,
      int levels,
      int widestLevel,
      int clusters,
      double totalWork,
      double criticalPath,
      double lowerBoundOn8Slots) {}

  record Workflow(String name, PlainGraph graph, Expected expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  private WorkflowGraphs() {}

  /**
   * Returns the graphs of the folder, or generated ones when it does not exist.
   *
   * @throws IllegalStateException when it does not exist where it must, in continuous integration
   */
  static List<Workflow> in(Path folder, boolean required) {
    if (Files.isDirectory(folder)) {
      return read(folder);
    }
    if (required) {
      throw new IllegalStateException("CI=true, and no workflow graphs in " + folder);
    }
    System.out.printf(
        "No workflow graphs in %s (-Dworkflows.dir): generated graphs of the same shapes instead%n",
        folder);
    return generated();
  }

  private static List<Workflow> read(Path folder) {
    try (Stream<String> lines = Files.lines(folder.resolve("expected.csv"))) {
      return lines
          .skip(1)
          .map(line -> line.split(",", -1))
          .map(row -> new Workflow(row[0], graph(folder.resolve(row[0] + ".json")), expected(row)))
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Expected expected(String[] row) {
    return new Expected(
        Integer.parseInt(row[1]),
        Integer.parseInt(row[2]),
        Integer.parseInt(row[3]),
        Integer.parseInt(row[4]),
        Integer.parseInt(row[5]),
        Double.parseDouble(row[6]),
        Double.parseDouble(row[7]),
        Double.parseDouble(row[8]));
  }

  private static PlainGraph graph(Path file) {
    try {
      JsonNode tasks = new ObjectMapper().readTree(file.toFile()).get("tasks");
      Map<String, Integer> nodeOf = new HashMap<>();
      double[] durations = new double[tasks.size()];
      for (JsonNode task : tasks) {
        int node = nodeOf.size();
        nodeOf.put(task.get("id").asText(), node);
        durations[node] = task.get("runtime_s").asDouble();
      }
      List<PlainGraph.Edge> edges = new ArrayList<>();
      for (JsonNode task : tasks) {
        int child = nodeOf.get(task.get("id").asText());
        for (JsonNode parent : task.get("parents")) {
          edges.add(new PlainGraph.Edge(nodeOf.get(parent.asText()), child));
        }
      }
      return new PlainGraph(durations.length, edges, durations);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static List<Workflow> generated() {
    return List.of(
        workflow("chain", 1, 1, 1, 1, 1, 1, 1),
        workflow("fork-join", 1, 1, 8, 1),
        workflow("two-sources-wide", 1, 2, 1_000, 2),
        workflow("into-one", 1, 1_000, 1),
        workflow("staged", 1, 1, 9, 9, 9, 9, 5, 3, 1),
        workflow("unequal", 1, 30, 60, 240, 1, 1, 120, 1, 1),
        workflow("clusters", 22, 26, 14, 1),
        workflow("chains-apart", 40, 1, 1, 1));
  }

  /**
   * Some clusters of levels of the given widths; each node of a level is joined to one of the next,
   * and each of the next to one of it.
   */
  private static Workflow workflow(String name, int copies, int... widths) {
    Random random = new Random(name.hashCode());
    List<PlainGraph.Edge> edges = new ArrayList<>();
    int nodes = 0;
    for (int copy = 0; copy < copies; copy++) {
      int before = nodes;
      nodes += widths[0];
      for (int level = 1; level < widths.length; level++) {
        for (int i = 0; i < Math.max(widths[level], widths[level - 1]); i++) {
          int parent = before + i % widths[level - 1];
          edges.add(new PlainGraph.Edge(parent, nodes + i % widths[level]));
        }
        before = nodes;
        nodes += widths[level];
      }
    }
    double[] durations = random.doubles(nodes, 0, 300).toArray();
    PlainGraph graph = new PlainGraph(nodes, edges, durations);
    return new Workflow(name, graph, expectedOf(graph));
  }

  private static Expected expectedOf(PlainGraph graph) {
    return new Expected(
        graph.nodes(),
        graph.edges().size(),
        graph.levelCount(),
        graph.widestLevel(),
        graph.clusterCount(),
        graph.totalWork(),
        graph.criticalPathLength(),
        Math.max(graph.criticalPathLength(), graph.totalWork() / 8));
  }
}
