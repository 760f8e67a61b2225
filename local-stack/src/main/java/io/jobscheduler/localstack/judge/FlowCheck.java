package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Ledger;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * I2 of the load's workflows: what has no failing node succeeds as a whole, and nothing is
 * cancelled that nobody asked to. A member whose workers were lost in every attempt has died as it
 * had to, and what depends on it ends by its edges, see {@link EdgeCheck}.
 */
final class FlowCheck {
  static final String ALL_SUCCEED = "workflows that had to succeed as a whole";

  private final Findings findings;
  private final Map<Long, Ledger.Flow> flows;
  private final Map<Long, Ends> ends = new HashMap<>();

  /** What has ended otherwise than well in a workflow. */
  private static final class Ends {
    boolean workersLost;
    long others;
    @Nullable JobRow first;
  }

  FlowCheck(Findings findings, Ledger ledger) {
    this.findings = findings;
    this.flows = ledger.workflows();
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    Integer workflow = job == null ? null : job.workflow();
    if (job == null || workflow == null || !flows.containsKey(workflow.longValue())) {
      return;
    }
    if (job.state().equals("cancelled")) {
      findings.violated(
          Invariant.I2,
          job.id(),
          "of workflow %d is cancelled, which nobody asked for".formatted(workflow));
    } else if (job.ended() && !job.state().equals("succeeded")) {
      Ends those = ends.computeIfAbsent(workflow.longValue(), flow -> new Ends());
      if (job.state().equals("dead") && "worker-lost".equals(job.errorKind())) {
        those.workersLost = true;
      } else {
        those.others++;
        those.first = those.first == null ? job : those.first;
      }
    }
  }

  /** After the last job. */
  void finish() {
    flows.forEach(
        (id, flow) -> {
          findings.checked(Invariant.I2, 1);
          findings.count(ALL_SUCCEED, flow.allSucceed() ? 1 : 0);
          Ends those = ends.get(id);
          if (flow.allSucceed() && those != null && !those.workersLost && those.first != null) {
            findings.violated(
                Invariant.I2,
                those.first.id(),
                "of workflow %d is %s (%s), as one of %d in a workflow in which nothing fails"
                    .formatted(id, those.first.state(), those.first.stateReason(), those.others));
          }
        });
  }
}
