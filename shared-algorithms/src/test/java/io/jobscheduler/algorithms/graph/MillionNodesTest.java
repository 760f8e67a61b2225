package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A chain of a million nodes overflows no stack, and the work grows no faster than the graph. */
class MillionNodesTest {
  private static final int MILLION = 1_000_000;

  @Test
  void findsNoCycleInAChainAndLooksAtEachEdgeOnce() {
    for (int nodes : new int[] {MILLION / 2, MILLION}) {
      CycleFinder finder = new CycleFinder(chain(nodes, false));
      assertEquals(List.of(), finder.search());
      assertEquals(nodes - 1, finder.edgesSeen());
    }
  }

  @Test
  void findsTheCycleOfAMillionNodes() {
    List<Integer> cycle = CycleFinder.find(chain(MILLION, true));
    assertEquals(MILLION + 1, cycle.size());
    assertEquals(0, cycle.get(0));
    assertEquals(MILLION - 1, cycle.get(MILLION - 1));
    assertEquals(0, cycle.get(MILLION));
  }

  @Test
  void plansAChainAndLooksAtEachEdgeTwice() {
    for (int nodes : new int[] {MILLION / 2, MILLION}) {
      double[] durations = new double[nodes];
      Arrays.fill(durations, 0.5);
      KahnPlanner planner = new KahnPlanner(chain(nodes, false));
      ExecutionPlan plan = planner.plan(durations);
      assertEquals(nodes, plan.levelCount());
      assertEquals(nodes, plan.criticalPath().length);
      assertEquals(nodes / 2.0, plan.criticalPathLength());
      assertEquals(nodes - 1, plan.levelOf(nodes - 1));
      assertEquals(2L * (nodes - 1), planner.edgesSeen());
    }
  }

  @Test
  void unitesAMillionNodesWithAFewLinksEach() {
    UnionFind chain = UnionFind.of(chain(MILLION, false));
    assertEquals(1, chain.count());
    assertTrue(chain.linksFollowed() <= MILLION, () -> "chain: " + chain.linksFollowed());
    long half = linksOfRandomUnions(MILLION / 2);
    long whole = linksOfRandomUnions(MILLION);
    // Four finds per node; the inverse Ackermann function of a million is below 5.
    assertTrue(whole <= 4L * 5 * MILLION, () -> "random: " + whole);
    assertTrue(whole <= 2.2 * half, () -> half + " links, then " + whole);
  }

  private static long linksOfRandomUnions(int nodes) {
    Random random = new Random(nodes);
    UnionFind sets = new UnionFind(nodes);
    for (int i = 0; i < 2 * nodes; i++) {
      sets.union(random.nextInt(nodes), random.nextInt(nodes));
    }
    return sets.linksFollowed();
  }

  private static Graph chain(int nodes, boolean closed) {
    Graph.Builder builder = Graph.builder(nodes);
    // From the end, so that no search is lucky with the order of the edges.
    for (int node = nodes - 1; node > 0; node--) {
      builder.edge(node - 1, node);
    }
    if (closed) {
      builder.edge(nodes - 1, 0);
    }
    return builder.build();
  }
}
