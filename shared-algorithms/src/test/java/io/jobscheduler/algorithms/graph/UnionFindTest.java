package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UnionFindTest {

  @Test
  void beginsWithEachNodeAlone() {
    UnionFind sets = new UnionFind(3);
    assertEquals(3, sets.count());
    assertEquals(1, sets.sizeOf(2));
    assertNotEquals(sets.find(0), sets.find(1));
    assertArrayEquals(new int[] {0, 1, 2}, sets.clusters());
  }

  @Test
  void unitesSetsOnce() {
    UnionFind sets = new UnionFind(5);
    assertTrue(sets.union(3, 4));
    assertTrue(sets.union(0, 3));
    assertFalse(sets.union(4, 0));
    assertEquals(3, sets.count());
    assertEquals(3, sets.sizeOf(3));
    assertEquals(1, sets.sizeOf(1));
    assertEquals(sets.find(0), sets.find(4));
  }

  @Test
  void numbersClustersInTheOrderOfTheirSmallestNodes() {
    UnionFind sets = new UnionFind(6);
    sets.union(5, 1);
    sets.union(4, 2);
    sets.union(2, 0);
    assertArrayEquals(new int[] {0, 1, 0, 2, 0, 1}, sets.clusters());
  }

  @Test
  void hangsTheSmallerSetUnderTheLarger() {
    UnionFind sets = new UnionFind(4);
    sets.union(0, 1);
    int root = sets.find(0);
    sets.union(2, 0);
    assertEquals(root, sets.find(2));
    sets.union(0, 3);
    assertEquals(root, sets.find(3));
  }

  @Test
  void compressesThePathsItFollows() {
    // Four pairs, two fours, one eight: the deepest node is three links from the root.
    UnionFind sets = new UnionFind(8);
    for (int distance = 1; distance < 8; distance *= 2) {
      for (int node = 0; node < 8; node += 2 * distance) {
        sets.union(node, node + distance);
      }
    }
    long before = sets.linksFollowed();
    int root = sets.find(7);
    assertEquals(before + 3, sets.linksFollowed());
    assertEquals(root, sets.find(7));
    assertEquals(root, sets.find(6));
    assertEquals(before + 5, sets.linksFollowed(), "one link each, from 6 on the path too");
  }

  @Test
  void compressesPathsThroughNodeZero() {
    UnionFind sets = new UnionFind(4);
    sets.union(0, 1);
    sets.union(2, 3);
    sets.union(2, 0);
    sets.find(1);
    long before = sets.linksFollowed();
    assertEquals(2, sets.find(1));
    assertEquals(before + 1, sets.linksFollowed());
  }

  @Test
  void findsTheClustersOfAGraph() {
    Graph graph = Graph.builder(6).edge(2, 0).edge(3, 2).edge(5, 4).build();
    UnionFind clusters = UnionFind.of(graph);
    assertEquals(3, clusters.count());
    assertArrayEquals(new int[] {0, 1, 0, 0, 2, 2}, clusters.clusters());
  }

  @Test
  void canBeEmpty() {
    assertEquals(0, new UnionFind(0).count());
    assertArrayEquals(new int[0], new UnionFind(0).clusters());
    assertThrows(IllegalArgumentException.class, () -> new UnionFind(-1));
  }
}
