package io.jobscheduler.api.workflows;

import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** SQL that reads how long jobs have run. */
final class MeanRunTimes {
  private MeanRunTimes() {}

  // What a project's types have taken of late: the leader's plan reckons with the same.
  private static final String TYPE_RUN_SECONDS =
      """
      SELECT r.type, r.seconds FROM jobs.type_run_seconds(:project) r
      """;

  /** Seconds by type. */
  static Map<String, Double> ofProject(Handle h, int projectId) {
    return h.createQuery(TYPE_RUN_SECONDS)
        .bind("project", projectId)
        .reduceRows(
            new HashMap<String, Double>(),
            (seconds, row) -> {
              seconds.put(
                  row.getColumn("type", String.class), row.getColumn("seconds", Double.class));
              return seconds;
            });
  }
}
