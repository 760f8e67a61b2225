package io.jobscheduler.localstack.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A kept promise is judged clean, and each broken one by its name and by no other. */
class JudgePgTest {
  private static final TestDatabase DATABASE = new TestDatabase();

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    DATABASE.open();
  }

  @AfterAll
  static void close() throws SQLException {
    DATABASE.close(true);
  }

  @Test
  void judgesAKeptPromiseClean() throws Exception {
    try (Play play = new Play(DATABASE)) {
      new CleanRun(play);
      Judgement judgement = Judge.judge(play.evidence(folder));
      assertEquals(List.of(), violations(judgement));
      assertTrue(judgement.clean());
      for (Invariant invariant : Invariant.values()) {
        assertTrue(judgement.of(invariant).checked() > 0, invariant + " looked at nothing");
      }
      assertEquals(1, judgement.count(RunCheck.ENDED_LATE));
      assertEquals(0, judgement.count(RunCheck.BEGAN_LATE));
      assertEquals(1, judgement.count(FlowCheck.ALL_SUCCEED));
    }
  }

  @Test
  void tellsTheWholeHistoryOfAJob() throws Exception {
    try (Play play = new Play(DATABASE)) {
      CleanRun run = new CleanRun(play);
      List<String> history = JobHistory.of(play.evidence(folder), run.lostOnce);
      String all = String.join("\n", history);
      assertTrue(history.get(0).startsWith("job " + run.lostOnce + ": succeeded"), all);
      assertTrue(
          history.get(1).startsWith("attempt 1 generation 0 lease " + run.lost.token()), all);
      assertTrue(all.contains("worker " + Play.WORKER + ": pid 1"), all);
      assertEquals(
          2, history.stream().filter(line -> line.startsWith("effect under")).count(), all);
      assertTrue(all.contains("accepted: "), all);
    }
  }

  @ParameterizedTest
  @MethodSource("io.jobscheduler.localstack.judge.Plants#all")
  void findsAPlantedViolationByItsName(Plants.Plant plant) throws Exception {
    try (Play play = new Play(DATABASE)) {
      CleanRun run = new CleanRun(play);
      plant.forgery().in(run, play);
      Judgement judgement = Judge.judge(play.evidence(folder));
      Set<Invariant> found =
          EnumSet.allOf(Invariant.class).stream()
              .filter(invariant -> judgement.of(invariant).violated() > 0)
              .collect(Collectors.toSet());
      assertEquals(Set.of(plant.invariant()), found, () -> violations(judgement).toString());
      assertFalse(judgement.clean());
    }
  }

  /** A change to a clean run that breaks nothing. */
  static Stream<Plants.Forgery> excused() {
    return Stream.of(
        // Who stands still cannot end its handlers, whoever else was cut off.
        (run, play) -> {
          play.cutOff = Set.of(2L);
          FlowPlants.runOn(run, play);
        },
        // Within what a fence is granted.
        (run, play) -> play.cutOff = Set.of(1L),
        // It came just before the schedule was paused.
        (run, play) -> {
          FlowPlants.queue(run, play);
          FlowPlants.pause(play, 1, "1 second");
        },
        // A member whose workers were lost in every attempt, and what depends on it.
        (run, play) -> {
          FlowPlants.die(run, play, "worker-lost");
          FlowPlants.skip(run, play, "dependency-failed");
        },
        (run, play) -> play.ledger.listed(run.plain, "a"));
  }

  @Test
  void countsWhatItLookedAtOfFencesListsAndSkippedJobs() throws Exception {
    try (Play play = new Play(DATABASE)) {
      CleanRun run = new CleanRun(play);
      play.cutOff = Set.of(1L);
      play.ledger.listed(run.plain, "a");
      FlowPlants.die(run, play, "worker-lost");
      FlowPlants.skip(run, play, "dependency-failed");
      FlowPlants.queue(run, play);
      FlowPlants.pause(play, 1, "1 second");
      Judgement judgement = Judge.judge(play.evidence(folder));
      assertEquals(List.of(), violations(judgement));
      // The parent's own worker was lost too.
      assertEquals(2, judgement.count(FenceCheck.ENDED));
      assertEquals(1, judgement.count(TenantCheck.LISTED));
      assertEquals(1, judgement.count(EdgeCheck.SKIPPED));
      assertEquals(1, judgement.count(WaitingCheck.WAITING));
    }
  }

  @ParameterizedTest
  @MethodSource("excused")
  void excusesWhatNobodyPromised(Plants.Forgery forgery) throws Exception {
    try (Play play = new Play(DATABASE)) {
      forgery.in(new CleanRun(play), play);
      assertEquals(List.of(), violations(Judge.judge(play.evidence(folder))));
    }
  }

  private static List<Violation> violations(Judgement judgement) {
    return Stream.of(Invariant.values()).flatMap(i -> judgement.of(i).first().stream()).toList();
  }
}
