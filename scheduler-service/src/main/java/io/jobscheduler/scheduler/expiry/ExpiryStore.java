package io.jobscheduler.scheduler.expiry;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.loop.Poison;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The statement of expiry, inside a leader transaction. Stateless. */
final class ExpiryStore {

  /**
   * What a batch did.
   *
   * @param projectIds the project of each job that was ended
   */
  record Batch(List<Integer> projectIds, List<Poison> poison) {}

  private ExpiryStore() {}

  // Longest overdue first by jobs_start_by; workflow locks before row locks, both by trying.
  private static final String EXPIRE_JOBS =
      """
      SELECT e.kind, e.id, e.project_id, e.reason FROM jobs.expire_jobs(?, ?) e
      """;

  static Batch expireJobs(LeaderTransaction transaction, int limit, List<Long> except)
      throws SQLException {
    Batch batch = new Batch(new ArrayList<>(), new ArrayList<>());
    try (PreparedStatement statement = transaction.prepare(EXPIRE_JOBS)) {
      statement.setInt(1, limit);
      statement.setArray(2, transaction.connection().createArrayOf("int8", except.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getString("kind").equals("expired")) {
            batch.projectIds().add(rows.getInt("project_id"));
          } else {
            batch.poison().add(Poison.read(rows));
          }
        }
      }
    }
    return batch;
  }
}
