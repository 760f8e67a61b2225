package io.jobscheduler.localstack.judge;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I3, the fence: a worker that is cut off from the database but runs interrupts its handlers before
 * anybody may call it lost, so none of them ends after its lease did. Handlers of the load yield to
 * an interrupt at once. A worker that was stopped cannot interrupt anything: what it goes on with
 * is counted, see {@link RunCheck}.
 */
final class FenceCheck {
  static final String ENDED = "handlers of cut off workers that lost their lease";
  static final String ENDED_IN_TIME = "handlers that a cut off worker ended before their lease";

  /**
   * By how much a handler may outlive its lease, besides what the comparison of the clocks is known
   * to be off: for an interrupt on a machine that has too much to do. The fence falls at least a
   * fifth of the worker's timeout before the loss, 3 s by default, which comes on top.
   */
  private static final long TOLERANCE_NANOS = 3_000_000_000L;

  private final Findings findings;
  private final Set<Long> cutOff;
  private final @Nullable Long nanosMinusMicros;
  private final long slackNanos;

  FenceCheck(Findings findings, Evidence evidence) {
    this.findings = findings;
    this.cutOff = evidence.cutOff();
    this.nanosMinusMicros = evidence.observations().nanosMinusMicros();
    this.slackNanos = evidence.observations().clockSlackNanos() + TOLERANCE_NANOS;
  }

  void check(Dossier dossier) {
    Long offset = nanosMinusMicros;
    if (offset == null || cutOff.isEmpty()) {
      return;
    }
    for (Lease lease : dossier.leases()) {
      Effect effect = dossier.effect(lease.token());
      if (!lease.lost() || lease.held() || effect == null || !cutOff.contains(effect.pid)) {
        continue;
      }
      long lateNanos = effect.endedNanos - (lease.endedMicros() * 1000 + offset);
      // Without an end it was killed later on: nobody knows when it would have ended.
      if (effect.ended()) {
        findings.checked(Invariant.I3, 1);
        findings.count(ENDED, 1);
        findings.count(ENDED_IN_TIME, lateNanos <= 0 ? 1 : 0);
        if (lateNanos > slackNanos) {
          findings.violated(
              Invariant.I3,
              lease.job(),
              "ran on for %d ms after its lease %d was lost, in worker %d which was cut off and did not stand still"
                  .formatted(lateNanos / 1_000_000, lease.token(), effect.incarnation));
        }
      }
    }
  }
}
