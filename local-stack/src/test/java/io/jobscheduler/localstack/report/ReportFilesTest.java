package io.jobscheduler.localstack.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.localstack.judge.Invariant;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Verdict;
import io.jobscheduler.localstack.judge.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
  private static final long SEED = 9_007_199_254_740_993L;

  @TempDir Path folder;

  private static ScenarioReport scenario(String name, Judgement judgement, List<String> history) {
    return new ScenarioReport(
        name,
        SEED + 1,
        Duration.ofSeconds(90),
        5_000,
        Map.of("kill worker", 12, "stop leader", 3),
        Map.of("killed worker", Recovery.of(List.of(Duration.ofMillis(1_250)))),
        List.of("PgBouncer is not installed: skipped."),
        judgement,
        history);
  }

  private static Judgement kept() {
    return new Judgement(
        Map.of(Invariant.I1, new Verdict(100, 0, List.of())),
        Map.of("handlers begun", 7L),
        List.of());
  }

  private static Judgement broken() {
    Violation violation = new Violation(Invariant.I5, 42L, "started <b>early</b>");
    return new Judgement(
        Map.of(Invariant.I5, new Verdict(10, 3, List.of(violation))),
        Map.of(),
        List.of("500 & more"));
  }

  private JsonNode json(ScenarioReport... scenarios) throws IOException {
    return json(List.of(), scenarios);
  }

  private JsonNode json(List<String> failures, ScenarioReport... scenarios) throws IOException {
    ReportFiles.write(
        folder,
        new ChaosReport(
            SEED, Instant.parse("2026-01-01T00:00:00Z"), "2 CPUs", List.of(scenarios), failures));
    return new ObjectMapper().readTree(Files.readString(folder.resolve("chaos-report.json")));
  }

  private String page() throws IOException {
    return Files.readString(folder.resolve("chaos-report.html"));
  }

  @Test
  void tellsEveryInvariantOfACleanRun() throws IOException {
    JsonNode report =
        json(scenario("mix", kept(), List.of()), scenario("kills", kept(), List.of()));

    assertTrue(report.path("clean").asBoolean());
    TreeSet<String> names = new TreeSet<>();
    report.path("invariants").fieldNames().forEachRemaining(names::add);
    assertEquals(new TreeSet<>(List.of("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8")), names);
    assertEquals(200, report.at("/invariants/I1/checked").asLong(), "the scenarios' sum");
    assertEquals(0, report.at("/invariants/I1/violated").asLong());
    assertEquals(10_000, report.path("jobs").asLong());
    assertEquals(30, report.path("faults").asInt());
    assertEquals(12, report.at("/scenarios/0/faults/kill worker").asInt());
    assertEquals(1_250, report.at("/scenarios/0/recovery/killed worker/p99Ms").asLong());
    assertEquals(Long.toString(SEED), report.path("seed").asText(), "digit for digit");
    assertFalse(report.path("passed").asBoolean(), "seven were not looked at");
    assertTrue(page().contains("proves too little"));
    assertTrue(page().contains("not looked at"), "what nobody looked at is not called kept");
  }

  @Test
  void runInWhichNothingCameAboutDoesNotPass() throws IOException {
    Map<Invariant, Verdict> looked = new EnumMap<>(Invariant.class);
    for (Invariant invariant : Invariant.values()) {
      looked.put(invariant, new Verdict(5, 0, List.of()));
    }
    Map<String, Long> counts =
        Map.of(
            "jobs on record", 9L,
            "observer's samples", 300L,
            "successes that a handler ended", 8L,
            "lost leases", 1L);
    assertEquals(List.of(), unproved(5_000, Map.of("worker-kill", 12), looked, counts));
    assertTrue(
        json(report(5_000, Map.of("worker-kill", 12), looked, counts)).path("passed").asBoolean());

    JsonNode failed =
        json(
            List.of("mix: a process never came back"),
            report(5_000, Map.of("worker-kill", 12), looked, counts));
    assertTrue(failed.path("clean").asBoolean());
    assertFalse(failed.path("passed").asBoolean());
    assertEquals("mix: a process never came back", failed.at("/failures/0").asText());
    assertTrue(page().contains("verdict bad\">5,000 jobs, 12 faults: failed, though"));
    assertTrue(page().contains("Failed: mix: a process never came back"));

    assertTold("no job was accepted", unproved(0, Map.of("worker-kill", 1), looked, counts));
    assertTold("no fault was injected", unproved(5_000, Map.of(), looked, counts));
    Map<String, Integer> kills = Map.of("worker-kill", 12);
    assertTold("12 kills", unproved(5_000, kills, looked, without(counts, "lost leases")));
    assertTold("0 samples", unproved(5_000, kills, looked, without(counts, "observer's samples")));
    assertTold("no jobs", unproved(5_000, kills, looked, without(counts, "jobs on record")));
    assertTold(
        "no successes",
        unproved(5_000, kills, looked, without(counts, "successes that a handler ended")));
    looked.remove(Invariant.I5);
    assertTold("I5 looked at nothing", unproved(5_000, kills, looked, counts));
    JsonNode idle = json(report(5_000, kills, looked, counts));
    assertTrue(idle.path("clean").asBoolean());
    assertFalse(idle.path("passed").asBoolean());
    assertTrue(page().contains("Proved nothing: I5 looked at nothing"));
    assertFalse(json().path("passed").asBoolean(), "no scenario at all");
  }

  private static void assertTold(String what, List<String> unproved) {
    assertTrue(unproved.stream().anyMatch(why -> why.contains(what)), unproved::toString);
  }

  private static Map<String, Long> without(Map<String, Long> counts, String name) {
    Map<String, Long> others = new HashMap<>(counts);
    others.remove(name);
    return others;
  }

  private static List<String> unproved(
      long jobs,
      Map<String, Integer> faults,
      Map<Invariant, Verdict> verdicts,
      Map<String, Long> counts) {
    return report(jobs, faults, verdicts, counts).unproved();
  }

  private static ScenarioReport report(
      long jobs,
      Map<String, Integer> faults,
      Map<Invariant, Verdict> verdicts,
      Map<String, Long> counts) {
    return new ScenarioReport(
        "mix",
        SEED,
        Duration.ofSeconds(90),
        jobs,
        faults,
        Map.of(),
        List.of(),
        new Judgement(verdicts, counts, List.of()),
        List.of());
  }

  @Test
  void tellsTheFirstViolationWithItsHistoryAndSeed() throws IOException {
    JsonNode report = json(scenario("mix", broken(), List.of("job 42: succeeded", "attempt 1 …")));

    assertFalse(report.path("clean").asBoolean());
    assertEquals(3, report.at("/invariants/I5/violated").asLong());
    assertEquals("42", report.at("/violations/0/job").asText());
    assertEquals("job 42: succeeded", report.at("/scenarios/0/history/0").asText());
    assertEquals(Long.toString(SEED + 1), report.at("/scenarios/0/seed").asText());
    String page = page();
    assertTrue(page.contains("I5: job 42 started &lt;b&gt;early&lt;/b&gt;"), page);
    assertTrue(page.contains("500 &amp; more"), page);
    assertTrue(page.contains("job 42: succeeded\nattempt 1 …"), page);
    assertTrue(page.contains("seed " + (SEED + 1)), page);
  }

  @Test
  void recoveryIsByNearestRank() {
    Recovery recovery =
        Recovery.of(IntStream.rangeClosed(1, 200).mapToObj(Duration::ofSeconds).toList());
    assertEquals(
        new Recovery(
            200, Duration.ofSeconds(100), Duration.ofSeconds(198), Duration.ofSeconds(200)),
        recovery);
    assertEquals(
        new Recovery(0, Duration.ZERO, Duration.ZERO, Duration.ZERO), Recovery.of(List.of()));
  }
}
