package io.jobscheduler.scheduler.agenda;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The agenda's one statement. */
final class AgendaStore {
  private static final int TIMEOUT_SECONDS = 2;

  private final DataSource dataSource;
  private final Duration silence;

  AgendaStore(DataSource dataSource, Duration silence) {
    this.dataSource = dataSource;
    this.silence = silence;
  }

  // A function, so that each look goes by its index whatever the statistics say. Locks nothing.
  private static final String FIND_WORK =
      """
      SELECT a.silent_workers, a.held_by_gone, a.unplanned_workflows, a.pending_releases,
             a.blocked_jobs, a.ended_workflows, a.heads, a.expired_jobs,
             a.statistics_due, a.queues_to_resume, a.queues_to_rekey, a.audit_to_seal,
             a.bulk_actions, a.paths_to_settle
        FROM jobs.leader_agenda(? * interval '1 millisecond') a
      """;

  Findings find() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(FIND_WORK)) {
      statement.setLong(1, silence.toMillis());
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Findings(
            row.getBoolean("silent_workers"),
            row.getBoolean("held_by_gone"),
            row.getBoolean("unplanned_workflows"),
            row.getBoolean("pending_releases"),
            row.getBoolean("blocked_jobs"),
            row.getBoolean("ended_workflows"),
            row.getBoolean("heads"),
            row.getBoolean("expired_jobs"),
            row.getBoolean("statistics_due"),
            row.getBoolean("queues_to_resume"),
            row.getBoolean("queues_to_rekey"),
            row.getBoolean("audit_to_seal"),
            row.getBoolean("bulk_actions"),
            row.getBoolean("paths_to_settle"));
      }
    }
  }
}
