package io.jobscheduler.localstack.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkflowGraphTest {

  @Test
  void makesValidKeyOfAnyName() {
    assertEquals("a-b-c.7", WorkflowGraph.key("a b/c", 7));
    assertEquals("x.7", WorkflowGraph.key("--x", 7));
    assertEquals("task.7", WorkflowGraph.key("äöü", 7));
    assertEquals(128, WorkflowGraph.key("x".repeat(500), 1234).length());
  }

  @Test
  void lowerBoundIsLongestPathOrSharedWork() {
    WorkflowGraph graph =
        new WorkflowGraph(
            "fork",
            List.of(
                new WorkflowGraph.Task("a", 1, List.of()),
                new WorkflowGraph.Task("b", 2, List.of("a")),
                new WorkflowGraph.Task("c", 5, List.of("a")),
                new WorkflowGraph.Task("d", 4, List.of("b", "c"))));

    assertEquals(10, graph.criticalPathSeconds());
    assertEquals(12, graph.lowerBoundSeconds(1));
    assertEquals(10, graph.lowerBoundSeconds(2));
  }
}
