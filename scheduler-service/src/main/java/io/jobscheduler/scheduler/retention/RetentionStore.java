package io.jobscheduler.scheduler.retention;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Optional;

/** The statements of retention, each inside a leader transaction. Stateless. */
final class RetentionStore {
  private RetentionStore() {}

  // DDL as the owner; raises 55P03 when a lock is not to be had within 100 ms. A few at a time: its
  // locks stand until the commit, and all 150 together may take longer than a statement may.
  private static final String ENSURE_PARTITIONS =
      """
      SELECT jobs.ensure_partitions(?) AS made
      """;

  static int ensurePartitions(LeaderTransaction transaction, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(ENSURE_PARTITIONS)) {
      statement.setInt(1, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("made");
      }
    }
  }

  // One pair of partitions per transaction, so that its exclusive locks are held for one drop only.
  private static final String DROP_EXPIRED_PARTITION =
      """
      SELECT jobs.drop_expired_partition() AS dropped
      """;

  static Optional<LocalDate> dropExpiredPartition(LeaderTransaction transaction)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(DROP_EXPIRED_PARTITION);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return Optional.ofNullable(row.getObject("dropped", LocalDate.class));
    }
  }
}
