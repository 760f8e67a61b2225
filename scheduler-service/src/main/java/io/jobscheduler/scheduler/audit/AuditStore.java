package io.jobscheduler.scheduler.audit;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The statement of sealing, inside a leader transaction. Stateless. */
final class AuditStore {
  private AuditStore() {}

  // In id order from the last one sealed, by the primary key; waits 200 ms for writers.
  private static final String SEAL_AUDIT =
      """
      SELECT jobs.seal_audit(?)
      """;

  /** Seals at most {@code limit} rows; returns how many. */
  static int sealAudit(LeaderTransaction transaction, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(SEAL_AUDIT)) {
      statement.setInt(1, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
