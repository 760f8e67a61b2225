package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.FaultKind;
import io.jobscheduler.localstack.report.Recovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * How soon the system has to go on by default settings, at the 99th percentile: what the scenarios
 * that measure are held to.
 */
final class RecoveryMarks {
  private static final Map<FaultKind, Duration> MOST =
      Map.of(
          FaultKind.WORKER_KILL, Duration.ofSeconds(8),
          FaultKind.LEADER_KILL, Duration.ofSeconds(3),
          FaultKind.LEADER_STOP, Duration.ofSeconds(15),
          FaultKind.LEADER_CUT, Duration.ofSeconds(15));

  /** Of the planned faults of a kind at least so many in a hundred must have been measured. */
  private static final int LEAST_MEASURED_PERCENT = 80;

  private RecoveryMarks() {}

  /**
   * What was missed, a sentence for each kind.
   *
   * @param planned faults; one that found no target was not measured either
   * @param recoveries that were measured, by the label of their kind
   */
  static List<String> missed(List<FaultKind> planned, Map<String, Recovery> recoveries) {
    List<String> missed = new ArrayList<>();
    MOST.forEach(
        (kind, most) -> {
          int count = Collections.frequency(planned, kind);
          Recovery recovery = recoveries.getOrDefault(kind.label(), Recovery.of(List.of()));
          if (recovery.count() * 100 < count * LEAST_MEASURED_PERCENT) {
            missed.add(
                "%s: %d of %d recoveries were measured"
                    .formatted(kind.label(), recovery.count(), count));
          }
          if (recovery.p99().compareTo(most) > 0) {
            missed.add(
                "%s: recoveries took %.2f s at the 99th percentile, which must be at most %d s"
                    .formatted(kind.label(), recovery.p99().toMillis() / 1e3, most.toSeconds()));
          }
        });
    return missed;
  }
}
