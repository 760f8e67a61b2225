package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.scheduler.workflow.WorkflowGraph.Edge;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkflowPlanTest {
  private static final long[] JOBS = {10, 20, 30};
  private static final List<String> KEYS = List.of("a", "b", "c");

  @Test
  void nodesAreTheJobsInTheOrderOfTheirIds() throws Exception {
    WorkflowPlan plan =
        WorkflowPlan.of(WorkflowGraph.of(JOBS, KEYS, List.of(new Edge(30, 20), new Edge(20, 10))));

    assertArrayEquals(new int[] {2, 1, 0}, plan.levels());
    assertArrayEquals(new double[] {1 / 3.0, 2 / 3.0, 1}, plan.ranks());
    assertArrayEquals(new boolean[] {true, true, true}, plan.critical());
    assertEquals(3, plan.levelCount());
    assertEquals(1, plan.clusterCount());
    assertEquals(3, plan.criticalPathLength());
  }

  @Test
  void workflowWithoutJobsHasAnEmptyPlan() throws Exception {
    WorkflowPlan plan = WorkflowPlan.of(WorkflowGraph.of(new long[0], List.of(), List.of()));

    assertEquals(0, plan.levelCount());
    assertEquals(0, plan.clusterCount());
  }

  @Test
  void cycleIsNamedByItsKeys() throws Exception {
    WorkflowGraph graph =
        WorkflowGraph.of(JOBS, KEYS, List.of(new Edge(10, 20), new Edge(20, 30), new Edge(30, 20)));

    UnplannableException thrown =
        assertThrows(UnplannableException.class, () -> WorkflowPlan.of(graph));
    assertEquals("its jobs form a cycle: b → c → b", thrown.getMessage());
  }

  @Test
  void edgeOfNoMemberIsRefused() {
    UnplannableException thrown =
        assertThrows(
            UnplannableException.class,
            () -> WorkflowGraph.of(JOBS, KEYS, List.of(new Edge(10, 25))));
    assertEquals("an edge names job 25, which is no member", thrown.getMessage());
  }
}
