package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.json.JsonBody;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlanningTest {
  private static WorkflowPlan plan(String jobs, int slots, Map<String, Double> means) {
    WorkflowRequest request =
        JsonBody.read(
            new ByteArrayInputStream(
                ("{\"name\":\"w\",\"jobs\":[" + jobs + "]}").getBytes(StandardCharsets.UTF_8)),
            JsonBody.LARGE,
            in -> WorkflowRequestReader.read(in, 1000));
    return Planning.plan(request, Durations.of(request.jobs(), means), slots);
  }

  private static String job(String key, int seconds, String dependsOn) {
    return "{\"key\":\"%s\",\"type\":\"t\",\"expectedDuration\":\"PT%dS\",\"dependsOn\":[%s]}"
        .formatted(key, seconds, dependsOn);
  }

  @Test
  void plansLevelsClustersCriticalPathAndMakespan() {
    WorkflowPlan plan =
        plan(
            String.join(
                ",",
                job("a", 1, ""),
                job("b", 2, "\"a\""),
                job("c", 5, "\"a\""),
                job("d", 1, "\"b\",\"c\""),
                job("alone", 4, "")),
            2,
            Map.of());
    assertEquals(
        List.of(5, 4, 3, 2), List.of(plan.jobs(), plan.edges(), plan.levels(), plan.clusters()));
    assertEquals(List.of("a", "c", "d"), plan.criticalPath().keys());
    assertEquals(Duration.ofSeconds(7), plan.criticalPath().length());
    assertEquals(Duration.ofSeconds(13), plan.totalWork());
    assertEquals(Duration.ofSeconds(7), plan.lowerBound());
    // a, alone; c; alone ends at 4, b until 6; c until 6; d until 7.
    assertEquals(Duration.ofSeconds(7), plan.expectedMakespan());
    assertEquals(
        List.of(true, false, true, true, false),
        plan.nodes().stream().map(WorkflowPlan.Node::critical).toList());
  }

  @Test
  void oneSlotTakesAllTheWork() {
    WorkflowPlan plan = plan(job("a", 3, "") + "," + job("b", 4, ""), 1, Map.of());
    assertEquals(Duration.ofSeconds(7), plan.expectedMakespan());
  }

  @Test
  void durationsComeFromTheRequestElseTheTypeElseOneSecond() {
    WorkflowPlan plan =
        plan(
            "{\"key\":\"a\",\"type\":\"known\"},{\"key\":\"b\",\"type\":\"new\"},"
                + job("c", 9, ""),
            8,
            Map.of("known", 2.5));
    assertEquals(
        List.of("measured PT2.5S", "default PT1S", "request PT9S"),
        plan.nodes().stream().map(n -> n.durationFrom() + " " + n.expectedDuration()).toList());
  }

  @Test
  void gatesTakeTimeButNoSlot() {
    WorkflowPlan plan =
        plan(
            "{\"key\":\"w\",\"gate\":{\"for\":\"PT10S\"}},"
                + job("a", 6, "")
                + ","
                + job("b", 1, "\"w\""),
            1,
            Map.of());
    assertEquals(Duration.ofSeconds(11), plan.expectedMakespan());
    assertEquals(Duration.ofSeconds(7), plan.totalWork());
  }

  /** Graham's bound, from both sides. */
  @Test
  void makespanLiesBetweenTheLowerBoundAndTwiceThat() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      StringBuilder jobs = new StringBuilder();
      int count = 1 + random.nextInt(40);
      for (int i = 0; i < count; i++) {
        String parents = i == 0 || random.nextInt(3) == 0 ? "" : "\"k" + random.nextInt(i) + "\"";
        jobs.append(i == 0 ? "" : ",").append(job("k" + i, random.nextInt(20), parents));
      }
      WorkflowPlan plan = plan(jobs.toString(), 1 + random.nextInt(8), Map.of());
      assertTrue(
          plan.expectedMakespan().compareTo(plan.lowerBound()) >= 0
              && plan.expectedMakespan().compareTo(plan.lowerBound().multipliedBy(2)) <= 0,
          "seed " + seed + ": " + plan.expectedMakespan() + " of " + plan.lowerBound());
    }
  }
}
