package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class KahnPlannerTest {
  /** 0 → 1 → 3 → 4, 0 → 2 → 4, and 5 alone. */
  private static final Graph DIAMOND =
      Graph.builder(6).edge(0, 1).edge(0, 2).edge(1, 3).edge(3, 4).edge(2, 4).build();

  @Test
  void plansADiamond() {
    ExecutionPlan plan = KahnPlanner.plan(DIAMOND, new double[] {1, 2, 10, 4, 5, 6});
    assertEquals(4, plan.levelCount());
    assertArrayEquals(new int[] {0, 5}, plan.nodesAt(0));
    assertArrayEquals(new int[] {1, 2}, plan.nodesAt(1));
    assertArrayEquals(new int[] {3}, plan.nodesAt(2));
    assertArrayEquals(new int[] {4}, plan.nodesAt(3));
    assertArrayEquals(new int[] {0, 5, 1, 2, 3, 4}, plan.order());
    assertEquals(0, plan.levelOf(5));
    assertEquals(2, plan.levelOf(3));
    assertEquals(3, plan.levelOf(4));
    assertEquals(2, plan.widestLevel());
    assertArrayEquals(new int[] {0, 2, 4}, plan.criticalPath());
    assertEquals(16, plan.criticalPathLength());
    assertEquals(16, plan.upwardRank(0));
    assertEquals(11, plan.upwardRank(1));
    assertEquals(15, plan.upwardRank(2));
    assertEquals(9, plan.upwardRank(3));
    assertEquals(5, plan.upwardRank(4));
    assertEquals(6, plan.upwardRank(5));
  }

  @Test
  void startsTheCriticalPathWithANodeWithoutParents() {
    Graph chain = Graph.builder(3).edge(2, 1).edge(1, 0).build();
    ExecutionPlan plan = KahnPlanner.plan(chain, new double[] {3, 0, 0});
    assertArrayEquals(new int[] {2, 1, 0}, plan.criticalPath());
    assertEquals(3, plan.criticalPathLength());
  }

  @Test
  void takesTheFirstOfEquallyLongPaths() {
    ExecutionPlan plan = KahnPlanner.plan(DIAMOND, new double[] {1, 1, 2, 1, 1, 4});
    assertArrayEquals(new int[] {0, 1, 3, 4}, plan.criticalPath());
  }

  @Test
  void findsTheCriticalPathThatIsNotTheFirstNodes() {
    ExecutionPlan plan = KahnPlanner.plan(DIAMOND, new double[] {1, 1, 1, 1, 1, 9});
    assertArrayEquals(new int[] {5}, plan.criticalPath());
    assertEquals(9, plan.criticalPathLength());
  }

  @Test
  void plansAnEmptyGraph() {
    ExecutionPlan plan = KahnPlanner.plan(Graph.builder(0).build(), new double[0]);
    assertEquals(0, plan.levelCount());
    assertEquals(0, plan.widestLevel());
    assertEquals(0, plan.criticalPathLength());
    assertArrayEquals(new int[0], plan.criticalPath());
    assertArrayEquals(new int[0], plan.order());
  }

  @Test
  void countsParallelEdgesAsOneCondition() {
    Graph graph = Graph.builder(2).edge(0, 1).edge(0, 1).build();
    ExecutionPlan plan = KahnPlanner.plan(graph, new double[] {1, 1});
    assertArrayEquals(new int[] {0, 1}, plan.order());
    assertEquals(2, plan.criticalPathLength());
  }

  @Test
  void refusesACycleAndSaysHowManyNodesRemain() {
    Graph graph = Graph.builder(5).edge(0, 1).edge(1, 2).edge(2, 1).edge(2, 3).build();
    CyclicGraphException refused =
        assertThrows(CyclicGraphException.class, () -> KahnPlanner.plan(graph, new double[5]));
    assertEquals(3, refused.remaining());
    assertEquals("3 nodes lie on a cycle or behind one", refused.getMessage());
  }

  @Test
  void refusesDurationsThatAreNone() {
    for (double bad : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      double[] durations = {0, bad, 0, 0, 0, 0};
      assertThrows(
          IllegalArgumentException.class, () -> KahnPlanner.plan(DIAMOND, durations), "" + bad);
    }
    assertThrows(IllegalArgumentException.class, () -> KahnPlanner.plan(DIAMOND, new double[5]));
    assertThrows(IllegalArgumentException.class, () -> KahnPlanner.plan(DIAMOND, new double[7]));
  }

  @Test
  void looksAtEachEdgeTwice() {
    KahnPlanner planner = new KahnPlanner(DIAMOND);
    planner.plan(new double[6]);
    assertEquals(10, planner.edgesSeen());
  }

  @Test
  void aPlanIsNotChangedThroughWhatItReturned() {
    ExecutionPlan plan = KahnPlanner.plan(DIAMOND, new double[] {1, 2, 10, 4, 5, 6});
    plan.order()[0] = 5;
    plan.criticalPath()[0] = 5;
    plan.nodesAt(0)[0] = 5;
    assertEquals(0, plan.order()[0]);
    assertEquals(0, plan.criticalPath()[0]);
    assertEquals(0, plan.nodesAt(0)[0]);
  }
}
