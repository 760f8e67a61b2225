package io.jobscheduler.localstack.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a generated graph says about itself, against a plain count. */
class GeneratedGraphsTest {
  private static final String KEY = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}";

  static List<GeneratedGraphs.Generated> all() {
    return GeneratedGraphs.all();
  }

  @ParameterizedTest
  @MethodSource("all")
  void hasTheLevelsAndClustersThatItSays(GeneratedGraphs.Generated generated) {
    Map<String, Integer> level = new HashMap<>();
    Map<String, Set<String>> cluster = new HashMap<>();
    for (WorkflowGraph.Task task : generated.graph().tasks()) {
      assertTrue(task.key().matches(KEY), task.key());
      Set<String> own = new HashSet<>(Set.of(task.key()));
      cluster.put(task.key(), own);
      int highest = 0;
      for (String parent : task.parents()) {
        highest = Math.max(highest, level.get(parent));
        Set<String> other = cluster.get(parent);
        if (other != own) {
          other.addAll(own);
          for (String member : own) {
            cluster.put(member, other);
          }
          own = other;
        }
      }
      level.put(task.key(), highest + 1);
    }

    assertEquals(generated.graph().tasks().size(), level.size(), "a key appears twice");
    assertEquals(
        generated.levels(), level.values().stream().mapToInt(Integer::intValue).max().orElse(0));
    assertEquals(generated.clusters(), new HashSet<>(cluster.values()).size());
  }
}
