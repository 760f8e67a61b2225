package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.FaultKind;
import java.time.Duration;

/**
 * A fault of a schedule.
 *
 * @param at how long after the start
 * @param choice which target, by its remainder
 * @param lasts how long it stays
 */
record PlannedFault(Duration at, FaultKind kind, long choice, Duration lasts) {

  @Override
  public String toString() {
    return "%8.3f s  %-22s %4d  for %6.3f s"
        .formatted(at.toMillis() / 1e3, kind.label(), choice, lasts.toMillis() / 1e3);
  }
}
