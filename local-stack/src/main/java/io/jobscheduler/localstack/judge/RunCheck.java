package io.jobscheduler.localstack.judge;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I8, job by job: what succeeded has run, what was lost has run again, attempts are counted and
 * bounded. Effects after the end of their lease are the price of at-least-once: counted apart.
 */
final class RunCheck {
  static final String ENDED_LATE = "effects that ended after their lease";
  static final String BEGAN_LATE = "effects that began after their lease";
  static final String LOST = "lost leases";
  static final String NOT_TAKEN = "results of lost leases, not taken";
  static final String SUCCESSES = "successes that a handler ended";
  private static final int MOST_RETURNS = 3;

  private final Findings findings;
  private final @Nullable Long nanosMinusMicros;

  RunCheck(Findings findings, Observations observations) {
    this.findings = findings;
    this.nanosMinusMicros = observations.nanosMinusMicros();
  }

  void check(Dossier dossier) {
    List<Lease> leases = dossier.leases();
    countLateEffects(dossier, leases);
    countLost(dossier, leases);
    JobRow job = dossier.job();
    if (job == null) {
      return;
    }
    findings.checked(Invariant.I8, 1);
    checkSuccess(dossier, job);
    checkKnown(dossier, leases);
    checkLost(job, leases);
    checkBounds(job, leases);
  }

  private void checkSuccess(Dossier dossier, JobRow job) {
    if (!job.state().equals("succeeded") || job.gate() != null) {
      return;
    }
    if (job.token() == null) {
      findings.violated(Invariant.I8, job.id(), "succeeded without ever having had a lease");
      return;
    }
    Effect effect = dossier.effect(job.token());
    if (effect == null || !effect.began() || !effect.ended()) {
      findings.violated(
          Invariant.I8,
          job.id(),
          "succeeded by lease %d, under which no handler %s"
              .formatted(job.token(), effect == null || !effect.began() ? "began" : "ended"));
    } else {
      findings.count(SUCCESSES, 1);
    }
  }

  /** A snoozed attempt leaves no row once the job has snoozed again, nor one that never began. */
  private void checkKnown(Dossier dossier, List<Lease> leases) {
    Set<Long> known = new HashSet<>();
    leases.forEach(lease -> known.add(lease.token()));
    for (Effect effect : dossier.effects()) {
      if (!known.contains(effect.token) && !"snoozed".equals(effect.outcome)) {
        findings.violated(
            Invariant.I8,
            dossier.id(),
            "ran under lease %d, which is not on record".formatted(effect.token));
      }
    }
  }

  private void checkLost(JobRow job, List<Lease> leases) {
    if (leases.isEmpty() || !job.ended()) {
      return;
    }
    Lease last = leases.get(leases.size() - 1);
    boolean mayEnd = job.state().equals("cancelled") || last.attempt() >= job.maxAttempts();
    if (last.lost() && !mayEnd) {
      findings.violated(
          Invariant.I8,
          job.id(),
          "lost its worker in attempt %d of %d and never ran again, it is %s"
              .formatted(last.attempt(), job.maxAttempts(), job.state()));
    }
  }

  private void checkBounds(JobRow job, List<Lease> leases) {
    long counted =
        leases.stream()
            .filter(lease -> lease.generation() == job.generation() && lease.counts())
            .count();
    if (job.attempt() > job.maxAttempts() || counted > job.maxAttempts()) {
      findings.violated(
          Invariant.I8,
          job.id(),
          "has run %d times, %d are allowed"
              .formatted(Math.max(counted, job.attempt()), job.maxAttempts()));
    } else if (counted != job.attempt()) {
      findings.violated(
          Invariant.I8,
          job.id(),
          "says attempt %d, but %d are on record".formatted(job.attempt(), counted));
    }
    if (job.returned() > MOST_RETURNS) {
      findings.violated(
          Invariant.I8,
          job.id(),
          "was given back %d times by dead workers, %d are allowed"
              .formatted(job.returned(), MOST_RETURNS));
    }
  }

  private void countLost(Dossier dossier, List<Lease> leases) {
    for (Lease lease : leases) {
      if (lease.lost()) {
        Effect effect = dossier.effect(lease.token());
        findings.count(LOST, 1);
        findings.count(NOT_TAKEN, effect != null && effect.ended() ? 1 : 0);
      }
    }
  }

  private void countLateEffects(Dossier dossier, List<Lease> leases) {
    for (Lease lease : leases) {
      Effect effect = dossier.effect(lease.token());
      // One that its own handler's word ended is no matter of chance: see LeaseCheck.
      if (effect == null || nanosMinusMicros == null || lease.held() || lease.endedByItsHandler()) {
        continue;
      }
      long endNanos = lease.endedMicros() * 1000 + Objects.requireNonNull(nanosMinusMicros);
      if (effect.began() && effect.beganNanos > endNanos) {
        findings.count(BEGAN_LATE, 1);
      }
      if (effect.ended() && effect.endedNanos > endNanos) {
        findings.count(ENDED_LATE, 1);
      }
    }
  }
}
