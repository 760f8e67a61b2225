package io.jobscheduler.localstack.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.faults.FaultKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScheduleTest {
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

  @ParameterizedTest
  @EnumSource
  void sameSeedGivesTheSameSchedule(Scenario scenario) {
    List<PlannedFault> schedule = scenario.schedule(4711, TEN_MINUTES);
    assertEquals(schedule, scenario.schedule(4711, TEN_MINUTES));
    assertNotEquals(schedule, scenario.schedule(4712, TEN_MINUTES));
  }

  /** Pinned: a seed that somebody noted down years ago still means the same. */
  @Test
  void seedMeansTheSameOnEveryMachine() {
    String firstThree =
        Scenario.LEADER_STALL.schedule(7, Duration.ofMinutes(2)).stream()
            .limit(3)
            .map(fault -> fault.toString().strip())
            .collect(Collectors.joining("\n"));
    assertEquals(
        """
        17.000 s  leader-cut              164  for 15.473 s
        35.180 s  leader-stop             380  for 15.735 s
        55.370 s  leader-cut              850  for 14.720 s""",
        firstThree);
  }

  @ParameterizedTest
  @EnumSource
  void longerRunBeginsAsTheShorterOne(Scenario scenario) {
    List<PlannedFault> whole = scenario.schedule(5, TEN_MINUTES);
    List<PlannedFault> part = scenario.schedule(5, Duration.ofMinutes(3));
    assertEquals(part, whole.subList(0, part.size()));
  }

  @ParameterizedTest
  @EnumSource
  void faultsComeInOrderWithinTheTimeAndLastAsTheirKindSays(Scenario scenario) {
    Duration before = Duration.ZERO;
    for (PlannedFault fault : scenario.schedule(1, TEN_MINUTES)) {
      assertTrue(fault.at().compareTo(before) > 0, fault::toString);
      assertTrue(fault.at().compareTo(TEN_MINUTES) < 0, fault::toString);
      assertTrue(fault.lasts().compareTo(fault.kind().shortest()) >= 0, fault::toString);
      assertTrue(fault.lasts().compareTo(fault.kind().longest()) <= 0, fault::toString);
      before = fault.at();
    }
  }

  @Test
  void killsThatAreMeasuredComeAtMostOnceInTenSeconds() {
    for (Scenario scenario : List.of(Scenario.WORKER_KILL, Scenario.LEADER_KILL)) {
      Duration before = Duration.ofSeconds(-10);
      for (PlannedFault fault : scenario.schedule(1, Duration.ofMinutes(30))) {
        assertTrue(fault.at().minus(before).compareTo(Duration.ofSeconds(10)) >= 0);
        before = fault.at();
      }
    }
  }

  @Test
  void smokeHasEveryKindOfItsDeckWithinNinetySeconds() {
    for (long seed : new long[] {1, 2, 3, SmokeChaosIT.SEED}) {
      assertEquals(
          kinds(Scenario.SMOKE.schedule(seed, TEN_MINUTES)),
          kinds(Scenario.SMOKE.schedule(seed, Duration.ofSeconds(90))),
          () -> "seed " + seed);
    }
  }

  private static EnumSet<FaultKind> kinds(List<PlannedFault> schedule) {
    return schedule.stream()
        .map(PlannedFault::kind)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultKind.class)));
  }

  @Test
  void mixHasEveryKindWithinNinetySecondsAndManyInTenMinutes() {
    assertEquals(
        EnumSet.allOf(FaultKind.class), kinds(Scenario.MIX.schedule(3, Duration.ofSeconds(90))));
    assertTrue(Scenario.MIX.schedule(3, TEN_MINUTES).size() >= 280);
  }
}
