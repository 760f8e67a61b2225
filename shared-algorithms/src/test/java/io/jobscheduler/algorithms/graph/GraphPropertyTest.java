package io.jobscheduler.algorithms.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.algorithms.Seed;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random graphs against what the plain model finds. */
class GraphPropertyTest {

  @Test
  void findsACycleIffANodeReachesItself() {
    Seed.check(
        3_000,
        random -> {
          PlainGraph plain = PlainGraph.random(random, random.nextInt(3) == 0);
          List<Integer> cycle = CycleFinder.find(plain.graph());
          boolean[][] reaches = plain.reaches();
          boolean cyclic = false;
          for (int node = 0; node < plain.nodes(); node++) {
            cyclic |= reaches[node][node];
          }
          assertEquals(cyclic, !cycle.isEmpty());
          if (cyclic) {
            checkCycle(plain, cycle);
          }
        });
  }

  private static void checkCycle(PlainGraph plain, List<Integer> cycle) {
    assertEquals(cycle.get(0), cycle.get(cycle.size() - 1));
    assertTrue(cycle.size() >= 2);
    assertEquals(cycle.size() - 1, new HashSet<>(cycle).size(), "no node twice but the first");
    for (int i = 0; i + 1 < cycle.size(); i++) {
      var edge = new PlainGraph.Edge(cycle.get(i), cycle.get(i + 1));
      assertTrue(plain.edges().contains(edge), edge::toString);
    }
  }

  @Test
  void refusesToPlanIffThereIsACycle() {
    Seed.check(
        3_000,
        random -> {
          PlainGraph plain = PlainGraph.random(random, false);
          int remaining = plain.cyclicOrBehind();
          if (remaining == 0) {
            KahnPlanner.plan(plain.graph(), plain.durations());
          } else {
            var refused =
                assertThrows(
                    CyclicGraphException.class,
                    () -> KahnPlanner.plan(plain.graph(), plain.durations()));
            assertEquals(remaining, refused.remaining());
          }
        });
  }

  @Test
  void plansLevelsRanksAndCriticalPathAsThePlainModel() {
    Seed.check(
        3_000,
        random -> {
          PlainGraph plain = PlainGraph.random(random, true);
          ExecutionPlan plan = KahnPlanner.plan(plain.graph(), plain.durations());
          checkOrder(plain, plan);
          checkLevels(plain, plan);
          double[] ranks = plain.upwardRanks();
          for (int node = 0; node < plain.nodes(); node++) {
            assertEquals(ranks[node], plan.upwardRank(node));
          }
          checkCriticalPath(plain, plan);
        });
  }

  private static void checkOrder(PlainGraph plain, ExecutionPlan plan) {
    int[] place = new int[plain.nodes()];
    Arrays.fill(place, -1);
    for (int i = 0; i < plain.nodes(); i++) {
      place[plan.order()[i]] = i;
    }
    for (var edge : plain.edges()) {
      assertTrue(place[edge.parent()] < place[edge.child()], edge::toString);
    }
    assertTrue(Arrays.stream(place).allMatch(at -> at >= 0), "each node is in the order");
  }

  private static void checkLevels(PlainGraph plain, ExecutionPlan plan) {
    int[] levels = plain.levels();
    assertEquals(plain.levelCount(), plan.levelCount());
    assertEquals(plain.widestLevel(), plan.widestLevel());
    int listed = 0;
    for (int level = 0; level < plan.levelCount(); level++) {
      for (int node : plan.nodesAt(level)) {
        assertEquals(level, levels[node]);
        assertEquals(level, plan.levelOf(node));
        listed++;
      }
    }
    assertEquals(plain.nodes(), listed);
  }

  private static void checkCriticalPath(PlainGraph plain, ExecutionPlan plan) {
    int[] path = plan.criticalPath();
    double length = 0;
    for (int i = 0; i < path.length; i++) {
      length += plain.durations()[path[i]];
      if (i > 0) {
        assertTrue(plain.edges().contains(new PlainGraph.Edge(path[i - 1], path[i])));
      }
    }
    assertEquals(plain.criticalPathLength(), length);
    assertEquals(length, plan.criticalPathLength());
    if (plain.nodes() > 0) {
      assertEquals(0, plan.levelOf(path[0]));
      assertEquals(0, plain.graph().childCount(path[path.length - 1]));
    }
  }

  @Test
  void unitesAsRelabellingDoes() {
    Seed.check(
        2_000,
        random -> {
          PlainGraph plain = PlainGraph.random(random, false);
          UnionFind sets = new UnionFind(plain.nodes());
          for (int i = 0; i < plain.edges().size(); i++) {
            var edge = plain.edges().get(i);
            int[] before = names(plain, i);
            boolean two = before[edge.parent()] != before[edge.child()];
            assertEquals(two, sets.union(edge.parent(), edge.child()));
            checkSets(names(plain, i + 1), sets);
          }
          assertEquals(plain.clusterCount(), sets.count());
          assertArrayEquals(sets.clusters(), UnionFind.of(plain.graph()).clusters());
        });
  }

  private static int[] names(PlainGraph plain, int edges) {
    return new PlainGraph(plain.nodes(), plain.edges().subList(0, edges), plain.durations())
        .clusterNames();
  }

  private static void checkSets(int[] names, UnionFind sets) {
    int[] smallest = Arrays.stream(names).distinct().sorted().toArray();
    assertEquals(smallest.length, sets.count());
    int[] clusters = sets.clusters();
    for (int node = 0; node < names.length; node++) {
      int name = names[node];
      assertEquals(Arrays.stream(names).filter(n -> n == name).count(), sets.sizeOf(node));
      assertEquals(Arrays.binarySearch(smallest, name), clusters[node]);
      assertEquals(name, names[sets.find(node)], "the root is of the same set");
      assertEquals(sets.find(node), sets.find(name));
    }
  }
}
