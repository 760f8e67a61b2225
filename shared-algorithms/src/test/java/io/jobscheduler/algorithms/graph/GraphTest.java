package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GraphTest {

  @Test
  void keepsTheChildrenInTheOrderOfTheirEdges() {
    Graph graph =
        Graph.builder(4).edge(2, 3).edge(0, 2).edge(0, 1).edge(2, 0).edge(0, 2).edge(3, 3).build();
    assertEquals(4, graph.nodeCount());
    assertEquals(6, graph.edgeCount());
    assertEquals(3, graph.childCount(0));
    assertEquals(0, graph.childCount(1));
    assertEquals(2, graph.childCount(2));
    assertEquals(2, graph.child(0, 0));
    assertEquals(1, graph.child(0, 1));
    assertEquals(2, graph.child(0, 2));
    assertEquals(3, graph.child(2, 0));
    assertEquals(0, graph.child(2, 1));
    assertEquals(3, graph.child(3, 0));
    assertEquals(1, graph.parentCount(0));
    assertEquals(1, graph.parentCount(1));
    assertEquals(2, graph.parentCount(2));
    assertEquals(2, graph.parentCount(3));
  }

  @Test
  void growsBeyondItsFirstCapacity() {
    Graph.Builder builder = Graph.builder(100);
    for (int node = 1; node < 100; node++) {
      builder.edge(0, node);
    }
    Graph star = builder.build();
    assertEquals(99, star.edgeCount());
    for (int i = 0; i < 99; i++) {
      assertEquals(i + 1, star.child(0, i));
    }
  }

  @Test
  void aBuiltGraphIsNotChangedByItsBuilder() {
    Graph.Builder builder = Graph.builder(2).edge(0, 1);
    Graph graph = builder.build();
    assertEquals(2, builder.edge(1, 0).build().edgeCount());
    assertEquals(1, graph.edgeCount());
    assertEquals(0, graph.childCount(1));
  }

  @Test
  void canBeEmpty() {
    Graph graph = Graph.builder(0).build();
    assertEquals(0, graph.nodeCount());
    assertEquals(0, graph.edgeCount());
  }

  @Test
  void refusesWhatIsNotThere() {
    assertThrows(IllegalArgumentException.class, () -> Graph.builder(-1));
    Graph.Builder builder = Graph.builder(3);
    outOfBounds(() -> builder.edge(-1, 0));
    outOfBounds(() -> builder.edge(3, 0));
    outOfBounds(() -> builder.edge(0, -1));
    outOfBounds(() -> builder.edge(0, 3));
    Graph graph = builder.edge(0, 1).edge(1, 2).build();
    assertEquals(2, graph.edgeCount());
    outOfBounds(() -> graph.childCount(-1));
    outOfBounds(() -> graph.childCount(3));
    outOfBounds(() -> graph.parentCount(-1));
    outOfBounds(() -> graph.parentCount(3));
    outOfBounds(() -> graph.child(0, 1));
    outOfBounds(() -> graph.child(1, -1));
    outOfBounds(() -> graph.child(3, 0));
  }

  private static void outOfBounds(Runnable call) {
    assertThrows(IndexOutOfBoundsException.class, call::run);
  }
}
