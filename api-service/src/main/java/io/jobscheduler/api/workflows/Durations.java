package io.jobscheduler.api.workflows;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How long the jobs of a workflow are expected to run.
 *
 * @param seconds of each job
 * @param sources of each job: request, measured or default
 */
record Durations(double[] seconds, String[] sources) {
  /** Of a job of which nothing is known. */
  static final double DEFAULT_SECONDS = 1;

  static final String REQUEST = "request";
  static final String MEASURED = "measured";
  static final String DEFAULT = "default";

  private static final double NANOS = 1e9;

  /**
   * As the request gives them, else by type, else {@link #DEFAULT_SECONDS}. A gate takes the time
   * that it waits by itself; one that people or signals open takes none.
   *
   * @param means seconds by type
   */
  static Durations of(List<WorkflowRequest.Member> jobs, Map<String, Double> means) {
    double[] seconds = new double[jobs.size()];
    String[] sources = new String[jobs.size()];
    for (int i = 0; i < seconds.length; i++) {
      WorkflowRequest.Node node = jobs.get(i).node();
      Double mean = means.get(jobs.get(i).job().type());
      if (node.gate() != null) {
        Duration delay = node.gate().delay();
        seconds[i] = delay == null ? 0 : seconds(delay);
        sources[i] = REQUEST;
      } else if (node.expected() != null) {
        seconds[i] = seconds(node.expected());
        sources[i] = REQUEST;
      } else {
        seconds[i] = mean == null ? DEFAULT_SECONDS : mean;
        sources[i] = mean == null ? DEFAULT : MEASURED;
      }
    }
    return new Durations(seconds, sources);
  }

  static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / NANOS;
  }

  /** In whole milliseconds. */
  static Duration of(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
