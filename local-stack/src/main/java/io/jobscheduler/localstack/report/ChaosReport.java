package io.jobscheduler.localstack.report;

import io.jobscheduler.localstack.judge.Judgement;
import java.time.Instant;
import java.util.List;

/**
 * A whole run.
 *
 * @param seed of the run, from which each scenario's is drawn
 * @param machine processors, Java and PostgreSQL, in words
 * @param failures what must not be though no invariant forbids it, such as a scenario that could
 *     not run and a process that never came back; each with its scenario
 */
public record ChaosReport(
    long seed,
    Instant startedAt,
    String machine,
    List<ScenarioReport> scenarios,
    List<String> failures) {
  public ChaosReport {
    scenarios = List.copyOf(scenarios);
    failures = List.copyOf(failures);
  }

  /** Accepted jobs of all scenarios. */
  public long jobs() {
    return scenarios.stream().mapToLong(ScenarioReport::jobs).sum();
  }

  /** Injected faults of all scenarios. */
  public int faultCount() {
    return scenarios.stream().mapToInt(ScenarioReport::faultCount).sum();
  }

  /** Every promise was put to the test in each scenario, and kept, and nothing else failed. */
  public boolean passed() {
    return !scenarios.isEmpty()
        && failures.isEmpty()
        && judgement().clean()
        && scenarios.stream().allMatch(scenario -> scenario.unproved().isEmpty());
  }

  /** All scenarios together. */
  public Judgement judgement() {
    return scenarios.stream()
        .map(ScenarioReport::judgement)
        .reduce(Judgement.empty(), Judgement::plus);
  }
}
