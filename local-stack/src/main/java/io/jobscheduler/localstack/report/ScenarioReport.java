package io.jobscheduler.localstack.report;

import io.jobscheduler.localstack.judge.Judgement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One scenario.
 *
 * @param seed that reproduces its schedule of faults
 * @param took from the first job to the judgement
 * @param jobs accepted
 * @param faults injected, by kind
 * @param recoveries by what recovered, such as {@code leader replaced}
 * @param notes what was skipped and why, and other words for the reader
 * @param history of the first violation's job, a line for each fact; empty when there is none
 */
public record ScenarioReport(
    String name,
    long seed,
    Duration took,
    long jobs,
    Map<String, Integer> faults,
    Map<String, Recovery> recoveries,
    List<String> notes,
    Judgement judgement,
    List<String> history) {
  public ScenarioReport {
    faults = Map.copyOf(faults);
    recoveries = Map.copyOf(recoveries);
    notes = List.copyOf(notes);
    history = List.copyOf(history);
  }

  /** Faults of all kinds together. */
  public int faultCount() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }
}
