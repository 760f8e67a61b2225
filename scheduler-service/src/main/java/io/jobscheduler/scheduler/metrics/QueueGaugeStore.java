package io.jobscheduler.scheduler.metrics;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The one statement of the queues' gauges. */
final class QueueGaugeStore {
  private static final int TIMEOUT_SECONDS = 4;

  /** A queue's depth by state, each up to 10,000, and the age of its oldest ready job, or 0. */
  record QueueGauge(
      String project,
      String queue,
      int ready,
      int running,
      int scheduled,
      int retrying,
      int blocked,
      double latencySeconds) {}

  private final DataSource dataSource;

  QueueGaugeStore(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  // Index probes with a LIMIT per queue and state, for the first thousand queues. Locks nothing.
  private static final String QUEUE_GAUGES =
      """
      SELECT g.project, g.queue, g.ready, g.running, g.scheduled, g.retrying, g.blocked,
             g.latency_seconds
        FROM jobs.queue_gauges() g
      """;

  List<QueueGauge> read() throws SQLException {
    List<QueueGauge> gauges = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(QUEUE_GAUGES)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          gauges.add(
              new QueueGauge(
                  rows.getString("project"),
                  rows.getString("queue"),
                  rows.getInt("ready"),
                  rows.getInt("running"),
                  rows.getInt("scheduled"),
                  rows.getInt("retrying"),
                  rows.getInt("blocked"),
                  rows.getDouble("latency_seconds")));
        }
      }
    }
    return gauges;
  }
}
