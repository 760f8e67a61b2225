package io.jobscheduler.localstack.report;

import io.jobscheduler.localstack.judge.Judgement;
import java.time.Duration;
import java.util.ArrayList;
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

  /** The kind of fault that takes handlers with it whatever else happens. */
  private static final String WORKER_KILL = "worker-kill";

  /** Below this the load has jobs of seconds running at any time: some kill must hit one. */
  private static final int KILLS_THAT_MAY_MISS = 3;

  /** The observer looks 10 times a second; the machine may be busy and the server away. */
  private static final int LEAST_SAMPLES_A_MINUTE = 6;

  /**
   * Why it proves nothing, in words; empty when it does. A run of which nothing came is no proof.
   */
  public List<String> unproved() {
    List<String> unproved = new ArrayList<>(judgement.unproved());
    if (jobs == 0) {
      unproved.add("no job was accepted");
    }
    if (faultCount() == 0) {
      unproved.add("no fault was injected");
    }
    if (judgement.samples() < took.toMinutes() * LEAST_SAMPLES_A_MINUTE) {
      unproved.add("%d samples in %d min".formatted(judgement.samples(), took.toMinutes()));
    }
    int kills = faults.getOrDefault(WORKER_KILL, 0);
    if (kills > KILLS_THAT_MAY_MISS && judgement.lost() == 0) {
      unproved.add("no lease was lost by %d kills of workers".formatted(kills));
    }
    return List.copyOf(unproved);
  }

  /** Faults of all kinds together. */
  public int faultCount() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }
}
