package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CycleFinderTest {

  @Test
  void findsNoneInAnEmptyGraph() {
    assertEquals(List.of(), CycleFinder.find(Graph.builder(0).build()));
    assertEquals(List.of(), CycleFinder.find(Graph.builder(3).build()));
  }

  @Test
  void namesTheCycleInTheDirectionOfItsEdges() {
    Graph graph = Graph.builder(4).edge(0, 1).edge(1, 2).edge(2, 3).edge(3, 1).build();
    assertEquals(List.of(1, 2, 3, 1), CycleFinder.find(graph));
  }

  @Test
  void namesALoop() {
    Graph graph = Graph.builder(3).edge(0, 1).edge(1, 1).edge(1, 2).build();
    assertEquals(List.of(1, 1), CycleFinder.find(graph));
  }

  @Test
  void findsACycleNotReachableFromTheFirstNode() {
    Graph graph = Graph.builder(5).edge(0, 1).edge(3, 4).edge(4, 3).build();
    assertEquals(List.of(3, 4, 3), CycleFinder.find(graph));
  }

  @Test
  void findsACycleBehindABranchWithoutOne() {
    Graph graph = Graph.builder(5).edge(0, 1).edge(1, 2).edge(0, 3).edge(3, 4).edge(4, 0).build();
    assertEquals(List.of(0, 3, 4, 0), CycleFinder.find(graph));
  }

  @Test
  void takesADiamondAndParallelEdgesForNoCycle() {
    Graph graph =
        Graph.builder(4).edge(0, 1).edge(0, 2).edge(1, 3).edge(2, 3).edge(0, 1).edge(2, 3).build();
    assertEquals(List.of(), CycleFinder.find(graph));
  }

  @Test
  void looksAtEachEdgeOnce() {
    Graph graph = Graph.builder(4).edge(2, 3).edge(1, 2).edge(0, 1).edge(0, 2).edge(0, 3).build();
    CycleFinder finder = new CycleFinder(graph);
    assertEquals(List.of(), finder.search());
    assertEquals(5, finder.edgesSeen());
  }
}
