package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.scheduler.workflow.WorkflowGraph.Edge;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkflowPlanTest {
  private static final long[] JOBS = {10, 20, 30};
  private static final double[] SECONDS = {1, 1, 1};
  private static final List<String> KEYS = List.of("a", "b", "c");

  @Test
  void nodesAreTheJobsInTheOrderOfTheirIds() throws Exception {
    WorkflowPlan plan =
        WorkflowPlan.of(
            WorkflowGraph.of(JOBS, KEYS, SECONDS, List.of(new Edge(30, 20), new Edge(20, 10))));

    assertArrayEquals(new int[] {2, 1, 0}, plan.levels());
    assertArrayEquals(new double[] {1 / 3.0, 2 / 3.0, 1}, plan.ranks());
    assertArrayEquals(new boolean[] {true, true, true}, plan.critical());
    assertEquals(3, plan.levelCount());
    assertEquals(1, plan.clusterCount());
    assertEquals(3, plan.criticalPathLength());
  }

  @Test
  void pathOfTheLongestRunTimeIsCritical() throws Exception {
    WorkflowPlan plan =
        WorkflowPlan.of(
            WorkflowGraph.of(JOBS, KEYS, new double[] {2, 7.5, 0.5}, List.of(new Edge(10, 30))));

    assertArrayEquals(new boolean[] {false, true, false}, plan.critical());
    assertArrayEquals(new double[] {2.5 / 7.5, 1, 0.5 / 7.5}, plan.ranks());
    assertEquals(7.5, plan.criticalPathLength());
  }

  @Test
  void jobsThatTakeNoTimeHaveARankOfZero() throws Exception {
    WorkflowPlan plan =
        WorkflowPlan.of(WorkflowGraph.of(JOBS, KEYS, new double[3], List.of(new Edge(10, 20))));

    assertArrayEquals(new double[3], plan.ranks());
    assertEquals(0, plan.criticalPathLength());
  }

  @Test
  void workflowWithoutJobsHasAnEmptyPlan() throws Exception {
    WorkflowPlan plan =
        WorkflowPlan.of(WorkflowGraph.of(new long[0], List.of(), new double[0], List.of()));

    assertEquals(0, plan.levelCount());
    assertEquals(0, plan.clusterCount());
  }

  @Test
  void cycleIsNamedByItsKeys() throws Exception {
    WorkflowGraph graph =
        WorkflowGraph.of(
            JOBS, KEYS, SECONDS, List.of(new Edge(10, 20), new Edge(20, 30), new Edge(30, 20)));

    UnplannableException thrown =
        assertThrows(UnplannableException.class, () -> WorkflowPlan.of(graph));
    assertEquals("its jobs form a cycle: b → c → b", thrown.getMessage());
  }

  @Test
  void edgeOfNoMemberIsRefused() {
    UnplannableException thrown =
        assertThrows(
            UnplannableException.class,
            () -> WorkflowGraph.of(JOBS, KEYS, SECONDS, List.of(new Edge(10, 25))));
    assertEquals("an edge names job 25, which is no member", thrown.getMessage());
  }
}
