package io.jobscheduler.localstack.judge;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I1 and I3, job by job: leases do not overlap, tokens grow, and what was published is the word of
 * the newest lease's own handler.
 */
final class LeaseCheck {
  /** Kinds of failures by which the executor overrules a handler that says it is done. */
  private static final Set<String> OVERRULED =
      Set.of("unstorable-result", "result-too-large", "worker-lost", "timeout");

  /**
   * By how much a handler may seem to end after the lease that its word ended, besides what the
   * comparison of the clocks is known to be off: what a clock may be set or slewed by between two
   * looks of the observer. A stale word takes at least a handler's rest to show, and those of the
   * load run for seconds.
   */
  private static final long LATE_NANOS = 50_000_000;

  private final Findings findings;
  private final @Nullable Long nanosMinusMicros;
  private final long slackNanos;
  private long[] tokens = new long[1024];
  private int tokenCount;

  LeaseCheck(Findings findings, Observations observations) {
    this.findings = findings;
    this.nanosMinusMicros = observations.nanosMinusMicros();
    this.slackNanos = observations.clockSlackNanos() + LATE_NANOS;
  }

  void check(Dossier dossier) {
    List<Lease> leases = dossier.leases();
    findings.checked(Invariant.I1, leases.size());
    findings.checked(Invariant.I3, leases.size());
    for (int i = 0; i < leases.size(); i++) {
      keep(leases.get(i).token());
      if (i > 0) {
        checkOrder(leases.get(i - 1), leases.get(i));
      }
    }
    checkRuns(dossier);
    checkPublished(dossier);
    checkLate(dossier);
  }

  private void checkOrder(Lease earlier, Lease later) {
    long gap = Objects.requireNonNull(later.startedMicros()) - earlier.endedMicros();
    if (gap < 0) {
      findings.violated(
          Invariant.I1,
          later.job(),
          earlier.held()
              ? "got lease %d while it still holds lease %d"
                  .formatted(later.token(), earlier.token())
              : "got lease %d %d µs before its lease %d ended"
                  .formatted(later.token(), -gap, earlier.token()));
    }
    if (later.token() < earlier.token()) {
      findings.violated(
          Invariant.I3,
          later.job(),
          "got lease %d after lease %d: tokens must grow"
              .formatted(later.token(), earlier.token()));
    }
  }

  /**
   * By what ran: once a lease, by its holder, and not while the one before it was still at work.
   */
  private void checkRuns(Dossier dossier) {
    @Nullable Effect before = null;
    for (Lease lease : dossier.leases()) {
      Effect effect = dossier.effect(lease.token());
      if (effect == null) {
        continue;
      }
      if (effect.begins > 1 || effect.ends > 1 || effect.torn) {
        findings.violated(
            Invariant.I1,
            lease.job(),
            "ran more than once under lease %d: %d begins, %d ends"
                .formatted(lease.token(), effect.begins, effect.ends));
      }
      if (lease.worker() != null && lease.worker() != effect.incarnation) {
        findings.violated(
            Invariant.I3,
            lease.job(),
            "ran under lease %d in worker %d, but worker %d holds it"
                .formatted(lease.token(), effect.incarnation, lease.worker()));
      }
      if (before != null && before.ended() && before.endedNanos > effect.beganNanos) {
        findings.violated(
            Invariant.I1,
            lease.job(),
            "began under lease %d %d µs before its handler under lease %d ended"
                .formatted(
                    lease.token(), (before.endedNanos - effect.beganNanos) / 1000, before.token));
      }
      // One whose lease was taken away may go on for a while: that is counted, see RunCheck.
      before = lease.endedByItsHandler() ? effect : null;
    }
  }

  private void checkPublished(Dossier dossier) {
    for (JobRow job : dossier.rows()) {
      if (job.ended() && job.token() != null) {
        long newest =
            Math.max(
                dossier.leases().stream().mapToLong(Lease::token).max().orElse(0),
                dossier.effects().stream().mapToLong(e -> e.token).max().orElse(0));
        if (newest > job.token()) {
          findings.violated(
              Invariant.I3,
              job.id(),
              "ended as %s by lease %d, though lease %d was given later"
                  .formatted(job.state(), job.token(), newest));
        }
      }
    }
    for (Lease lease : dossier.leases()) {
      Effect effect = dossier.effect(lease.token());
      if (effect != null && effect.ended() && disagree(lease, effect)) {
        findings.violated(
            Invariant.I3,
            lease.job(),
            "is recorded as %s by lease %d, but its handler said %s"
                .formatted(lease.outcome(), lease.token(), effect.outcome));
      }
    }
  }

  /** A lease that its handler's word ended cannot end before that handler begins or ends. */
  private void checkLate(Dossier dossier) {
    Long offset = nanosMinusMicros;
    if (offset == null) {
      return;
    }
    for (Lease lease : dossier.leases()) {
      Effect effect = dossier.effect(lease.token());
      if (effect == null || lease.held() || !lease.endedByItsHandler()) {
        continue;
      }
      long latest = lease.endedMicros() * 1000 + offset + slackNanos;
      boolean began = effect.began() && effect.beganNanos > latest;
      if (began || (effect.ended() && effect.endedNanos > latest)) {
        long nanos = began ? effect.beganNanos : effect.endedNanos;
        findings.violated(
            Invariant.I3,
            lease.job(),
            "is recorded as %s by lease %d, whose handler %s %d ms later: another's word"
                .formatted(
                    lease.outcome(),
                    lease.token(),
                    began ? "began" : "ended",
                    (nanos - latest + slackNanos) / 1_000_000));
      }
    }
  }

  private static boolean disagree(Lease lease, Effect effect) {
    boolean said = "succeeded".equals(effect.outcome);
    return switch (lease.outcome()) {
      case "succeeded" -> !said;
      case "failed", "dead" -> said && !OVERRULED.contains(String.valueOf(lease.errorKind()));
      default -> false;
    };
  }

  private void keep(long token) {
    if (tokenCount == tokens.length) {
      tokens = Arrays.copyOf(tokens, tokenCount * 2);
    }
    tokens[tokenCount++] = token;
  }

  /** After the last job: no token was given twice, whoever had it. */
  void finish() {
    Arrays.sort(tokens, 0, tokenCount);
    for (int i = 1; i < tokenCount; i++) {
      if (tokens[i] == tokens[i - 1]) {
        findings.violated(
            Invariant.I3, null, "lease token %d stands for two attempts".formatted(tokens[i]));
      }
    }
    findings.count("leases on record", tokenCount);
  }
}
