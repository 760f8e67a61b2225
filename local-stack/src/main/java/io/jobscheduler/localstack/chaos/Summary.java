package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.judge.Invariant;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Verdict;
import io.jobscheduler.localstack.report.ScenarioReport;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A scenario's outcome for the terminal. */
final class Summary {
  private Summary() {}

  static List<String> lines(ScenarioReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        "%s, seed %d: %d jobs, %d faults in %d s"
            .formatted(
                report.name(),
                report.seed(),
                report.jobs(),
                report.faultCount(),
                report.took().toSeconds()));
    Judgement judgement = report.judgement();
    for (Invariant invariant : Invariant.values()) {
      Verdict verdict = judgement.of(invariant);
      lines.add(
          "  %s  %,10d checked  %d violated"
              .formatted(invariant, verdict.checked(), verdict.violated()));
    }
    new TreeMap<>(report.recoveries())
        .forEach(
            (what, times) ->
                lines.add(
                    "  %-20s %4d recoveries: p50 %.2f s, p99 %.2f s, max %.2f s"
                        .formatted(
                            what,
                            times.count(),
                            times.p50().toMillis() / 1e3,
                            times.p99().toMillis() / 1e3,
                            times.max().toMillis() / 1e3)));
    lines.add(
        "  %,d leases lost, %,d results of lost leases not taken"
            .formatted(judgement.lost(), judgement.notTaken()));
    report.unproved().forEach(why -> lines.add("  PROVED NOTHING: " + why));
    report.notes().forEach(note -> lines.add("  " + note));
    judgement.unexpected().stream().limit(5).forEach(odd -> lines.add("  UNEXPECTED: " + odd));
    judgement.firstViolation().ifPresent(first -> lines.add("  FIRST VIOLATION: " + first));
    report.history().forEach(fact -> lines.add("    " + fact));
    return lines;
  }
}
