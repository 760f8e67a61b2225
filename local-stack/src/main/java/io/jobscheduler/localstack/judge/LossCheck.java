package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Expectation;
import io.jobscheduler.localstack.load.Ledger;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** I2: every accepted job is where it can be seen, and has ended as it had to. */
final class LossCheck {
  private final Findings findings;
  private final boolean drained;
  private final Map<Long, Ledger.Accepted> missing;
  private final Map<Long, Ledger.Flow> missingWorkflows;
  private final Set<Long> cancelled;
  private final Set<Long> redriven;

  LossCheck(Findings findings, Evidence evidence) {
    this.findings = findings;
    this.drained = evidence.drained();
    this.missing = new HashMap<>(evidence.ledger().jobs());
    this.missingWorkflows = new HashMap<>(evidence.ledger().workflows());
    this.cancelled = evidence.ledger().cancelled();
    this.redriven = evidence.ledger().redriven();
    findings.count("accepted jobs", missing.size());
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    Ledger.@Nullable Accepted accepted = missing.get(dossier.id());
    if (job == null) {
      findings.violated(
          Invariant.I2,
          dossier.id(),
          "has %d leases on record and ran %d times, but is not there"
              .formatted(dossier.leases().size(), dossier.effects().size()));
      missing.remove(dossier.id());
      return;
    }
    findings.checked(Invariant.I2, 1);
    missing.remove(dossier.id());
    if (dossier.rows().size() > 1) {
      findings.violated(
          Invariant.I2,
          dossier.id(),
          "is there twice, as %s and as %s".formatted(job.state(), dossier.rows().get(1).state()));
    }
    if (drained && !job.ended()) {
      findings.violated(
          Invariant.I2,
          job.id(),
          "has not ended: %s (%s)".formatted(job.state(), job.stateReason()));
    }
    if (accepted != null) {
      checkEnd(job, accepted.expectation());
    }
  }

  private void checkEnd(JobRow job, Expectation expectation) {
    if (cancelled.contains(job.id()) && !job.state().equals("cancelled")) {
      findings.violated(
          Invariant.I2, job.id(), "was answered as cancelled and is %s".formatted(job.state()));
    }
    if (redriven.contains(job.id()) && job.generation() == 0) {
      findings.violated(Invariant.I2, job.id(), "was answered as redriven and has not begun anew");
    }
    // One whose workers were lost in every attempt has been treated as it had to be.
    boolean unlucky = "worker-lost".equals(job.errorKind());
    boolean wrong =
        switch (expectation) {
          case SUCCEEDS -> !job.state().equals("succeeded");
          case DIES -> !job.state().equals("dead");
          case ANY -> false;
        };
    if (job.ended() && wrong && !unlucky) {
      findings.violated(
          Invariant.I2,
          job.id(),
          "had to end as %s and is %s (%s, %s)"
              .formatted(
                  expectation == Expectation.SUCCEEDS ? "succeeded" : "dead",
                  job.state(),
                  job.stateReason(),
                  job.errorKind()));
    }
  }

  /** A workflow on record. */
  void checkWorkflow(long id, int jobs, long members) {
    findings.checked(Invariant.I2, 1);
    missingWorkflows.remove(id);
    if (members != jobs) {
      findings.violated(
          Invariant.I2,
          null,
          "workflow %d has %d jobs, %d of them are there".formatted(id, jobs, members));
    }
  }

  /** After the last job and workflow: what was accepted and is nowhere. */
  void finish() {
    missing.forEach(
        (id, accepted) ->
            findings.violated(
                Invariant.I2,
                id,
                "was accepted in %s and is not there".formatted(accepted.project())));
    missingWorkflows.forEach(
        (id, flow) ->
            findings.violated(
                Invariant.I2,
                null,
                "workflow %d was accepted in %s and is not there".formatted(id, flow.project())));
  }
}
