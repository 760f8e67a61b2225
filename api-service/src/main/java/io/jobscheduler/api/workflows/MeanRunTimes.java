package io.jobscheduler.api.workflows;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** SQL that reads how long jobs have run. */
final class MeanRunTimes {
  private MeanRunTimes() {}

  // What types of a project have taken of late: the leader's plan reckons with the same.
  private static final String TYPE_RUN_SECONDS =
      """
      SELECT r.type, r.seconds FROM jobs.type_run_seconds(:project, :types) r
      """;

  /** Seconds by type, of the types of these jobs. */
  static Map<String, Double> of(Handle h, int projectId, List<WorkflowRequest.Member> jobs) {
    return h.createQuery(TYPE_RUN_SECONDS)
        .bind("project", projectId)
        .bindArray(
            "types",
            String.class,
            jobs.stream().map(member -> member.job().type()).distinct().toArray())
        .reduceRows(
            new HashMap<String, Double>(),
            (seconds, row) -> {
              seconds.put(
                  row.getColumn("type", String.class), row.getColumn("seconds", Double.class));
              return seconds;
            });
  }
}
