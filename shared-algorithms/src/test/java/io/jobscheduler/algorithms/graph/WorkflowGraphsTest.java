package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.algorithms.graph.WorkflowGraphs.Expected;
import io.jobscheduler.algorithms.graph.WorkflowGraphs.Workflow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every real workflow graph is planned as an independent program has planned it. */
class WorkflowGraphsTest {
  /** Expected times are given in whole milliseconds. */
  private static final double ROUNDING = 0.001;

  static List<Workflow> workflows() {
    String folder = System.getProperty("workflows.dir", "../../shared/data/workflows");
    return WorkflowGraphs.in(Path.of(folder), "true".equals(System.getenv("CI")));
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void plansTheWorkflowAsExpected(Workflow workflow) {
    checkPlan(workflow);
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void namesTheCycleThatAnEdgeBackMakes(Workflow workflow) {
    checkCycle(workflow);
  }

  @Test
  void plansTheGeneratedGraphsAsExpected() {
    WorkflowGraphs.generated().forEach(WorkflowGraphsTest::checkPlan);
    WorkflowGraphs.generated().forEach(WorkflowGraphsTest::checkCycle);
  }

  @Test
  void aMissingFolderFailsWhereItIsRequired(@TempDir Path empty) {
    Path missing = empty.resolve("missing");
    assertThrows(IllegalStateException.class, () -> WorkflowGraphs.in(missing, true));
    assertFalse(WorkflowGraphs.in(missing, false).isEmpty());
  }

  private static void checkPlan(Workflow workflow) {
    Graph graph = workflow.graph().graph();
    double[] durations = workflow.graph().durations();
    Expected expected = workflow.expected();
    assertEquals(expected.tasks(), graph.nodeCount());
    assertEquals(expected.edges(), graph.edgeCount());
    assertEquals(List.of(), CycleFinder.find(graph));

    ExecutionPlan plan = KahnPlanner.plan(graph, durations);
    assertEquals(expected.levels(), plan.levelCount());
    assertEquals(expected.widestLevel(), plan.widestLevel());
    assertEquals(expected.criticalPath(), plan.criticalPathLength(), ROUNDING);
    double work = Arrays.stream(durations).sum();
    assertEquals(expected.totalWork(), work, ROUNDING);
    assertEquals(
        expected.lowerBoundOn8Slots(), Math.max(plan.criticalPathLength(), work / 8), ROUNDING);

    UnionFind clusters = UnionFind.of(graph);
    assertEquals(expected.clusters(), clusters.count());
    int largest = Arrays.stream(clusters.clusters()).max().orElseThrow();
    assertEquals(expected.clusters() - 1, largest);
  }

  /** With an edge from the end of the critical path to its beginning, that path is on a cycle. */
  private static void checkCycle(Workflow workflow) {
    PlainGraph plain = workflow.graph();
    int[] path = KahnPlanner.plan(plain.graph(), plain.durations()).criticalPath();
    List<PlainGraph.Edge> edges = new ArrayList<>(plain.edges());
    edges.add(new PlainGraph.Edge(path[path.length - 1], path[0]));
    PlainGraph closed = new PlainGraph(plain.nodes(), edges, plain.durations());

    List<Integer> cycle = CycleFinder.find(closed.graph());
    assertTrue(cycle.contains(path[0]));
    assertTrue(cycle.contains(path[path.length - 1]));
    for (int i = 1; i < cycle.size(); i++) {
      assertTrue(edges.contains(new PlainGraph.Edge(cycle.get(i - 1), cycle.get(i))));
    }
    assertThrows(
        CyclicGraphException.class, () -> KahnPlanner.plan(closed.graph(), closed.durations()));
  }
}
