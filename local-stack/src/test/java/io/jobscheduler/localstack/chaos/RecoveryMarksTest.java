package io.jobscheduler.localstack.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.localstack.faults.FaultKind;
import io.jobscheduler.localstack.report.Recovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveryMarksTest {
  private static Recovery of(int count, long millis, int slow, long slowMillis) {
    List<Duration> times =
        new ArrayList<>(Collections.nCopies(count - slow, Duration.ofMillis(millis)));
    times.addAll(Collections.nCopies(slow, Duration.ofMillis(slowMillis)));
    return Recovery.of(times);
  }

  private static List<String> missed(String kind, int planned, Recovery recovery) {
    FaultKind fault = FaultKind.valueOf(kind.toUpperCase(Locale.ROOT).replace('-', '_'));
    return RecoveryMarks.missed(Collections.nCopies(planned, fault), Map.of(kind, recovery));
  }

  @Test
  void whatIsWithinItsMarkIsNotNamed() {
    assertEquals(List.of(), missed("worker-kill", 100, of(100, 8_000, 1, 60_000)));
    assertEquals(List.of(), missed("leader-kill", 100, of(100, 3_000, 0, 0)));
    assertEquals(List.of(), missed("leader-cut", 50, of(50, 15_000, 0, 0)));
    assertEquals(List.of(), missed("leader-stop", 50, of(50, 15_000, 0, 0)));
    assertEquals(List.of(), missed("api-kill", 50, of(50, 60_000, 0, 0)), "no mark");
  }

  @Test
  void oneSlowRecoveryInFiftyIsTooMany() {
    assertEquals(
        List.of(
            "worker-kill: recoveries took 8.01 s at the 99th percentile,"
                + " which must be at most 8 s"),
        missed("worker-kill", 100, of(100, 1_000, 2, 8_010)));
    assertEquals(1, missed("leader-kill", 100, of(100, 100, 2, 3_100)).size());
    assertEquals(1, missed("leader-cut", 100, of(100, 100, 2, 15_100)).size());
    assertEquals(1, missed("leader-stop", 100, of(100, 100, 2, 15_100)).size());
  }

  @Test
  void recoveriesThatNobodySawProveNothing() {
    assertEquals(
        List.of("leader-kill: 79 of 100 recoveries were measured"),
        missed("leader-kill", 100, of(79, 100, 0, 0)));
    assertEquals(
        List.of("worker-kill: 0 of 3 recoveries were measured"),
        RecoveryMarks.missed(Collections.nCopies(3, FaultKind.WORKER_KILL), Map.of()));
  }
}
