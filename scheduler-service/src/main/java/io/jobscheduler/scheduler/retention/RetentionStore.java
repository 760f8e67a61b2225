package io.jobscheduler.scheduler.retention;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
      SELECT jobs.drop_expired_partition(?) AS dropped
      """;

  /** The oldest but {@code except}; empty when there is none. */
  static Optional<LocalDate> dropExpiredPartition(
      LeaderTransaction transaction, List<LocalDate> except) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(DROP_EXPIRED_PARTITION)) {
      statement.setArray(
          1,
          transaction
              .connection()
              .createArrayOf("date", except.stream().map(LocalDate::toString).toArray()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getObject("dropped", LocalDate.class));
      }
    }
  }

  // The day that the call above would have dropped, when it could not.
  private static final String NEXT_EXPIRED =
      """
      SELECT jobs.next_expired_partition(?) AS next
      """;

  static Optional<LocalDate> nextExpired(LeaderTransaction transaction, List<LocalDate> except)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(NEXT_EXPIRED)) {
      statement.setArray(
          1,
          transaction
              .connection()
              .createArrayOf("date", except.stream().map(LocalDate::toString).toArray()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getObject("next", LocalDate.class));
      }
    }
  }

  // Rows whose day had no partition: normally none.
  private static final String DELETE_DUE_DEFAULTS =
      """
      SELECT jobs.delete_due_defaults(?) AS gone
      """;

  static int deleteDueDefaults(LeaderTransaction transaction, int limit) throws SQLException {
    return gone(transaction, DELETE_DUE_DEFAULTS, limit);
  }

  // By workflows_retain, oldest first with SKIP LOCKED; each is judged again by its members' rows.
  private static final String FORGET_WORKFLOWS =
      """
      SELECT jobs.forget_workflows(?) AS gone
      """;

  static int forgetWorkflows(LeaderTransaction transaction, int limit) throws SQLException {
    return gone(transaction, FORGET_WORKFLOWS, limit);
  }

  /**
   * One step of a walk over rows that jobs leave behind: edges outside workflows, search terms.
   *
   * @param walkedTo the last job looked at; empty when the end was reached
   */
  record Walked(OptionalLong walkedTo, int gone) {}

  // Keyset walk by dependencies_loose; a child's row is looked for by primary key in both tables.
  private static final String FORGET_EDGES =
      """
      SELECT f.walked_to, f.gone FROM jobs.forget_edges(?, ?) f
      """;

  static Walked forgetEdges(LeaderTransaction transaction, long after, int limit)
      throws SQLException {
    return walk(transaction, FORGET_EDGES, after, limit);
  }

  // As above, by search_terms_job.
  private static final String FORGET_SEARCH_TERMS =
      """
      SELECT f.walked_to, f.gone FROM jobs.forget_search_terms(?, ?) f
      """;

  static Walked forgetSearchTerms(LeaderTransaction transaction, long after, int limit)
      throws SQLException {
    return walk(transaction, FORGET_SEARCH_TERMS, after, limit);
  }

  private static Walked walk(LeaderTransaction transaction, String sql, long after, int limit)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(sql)) {
      statement.setLong(1, after);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        long walkedTo = row.getLong("walked_to");
        return new Walked(
            row.wasNull() ? OptionalLong.empty() : OptionalLong.of(walkedTo), row.getInt("gone"));
      }
    }
  }

  // By the indexes on what has expired; a random stretch of what jobs left behind
  // (R__40_enqueue.sql).
  private static final String FORGET_KEYS =
      """
      SELECT jobs.forget_keys(?) AS gone
      """;

  static int forgetKeys(LeaderTransaction transaction, int limit) throws SQLException {
    return gone(transaction, FORGET_KEYS, limit);
  }

  private static int gone(LeaderTransaction transaction, String sql, int limit)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(sql)) {
      statement.setInt(1, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("gone");
      }
    }
  }

  // As above, for the days on which log lines are written.
  private static final String ENSURE_LOG_PARTITIONS =
      """
      SELECT jobs.ensure_log_partitions(?, ?) AS made
      """;

  static int ensureLogPartitions(LeaderTransaction transaction, int days, int limit)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(ENSURE_LOG_PARTITIONS)) {
      statement.setInt(1, days);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("made");
      }
    }
  }

  private static final String DROP_EXPIRED_LOGS =
      """
      SELECT jobs.drop_expired_logs(?) AS dropped
      """;

  static Optional<LocalDate> dropExpiredLogs(LeaderTransaction transaction, int days)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(DROP_EXPIRED_LOGS)) {
      statement.setInt(1, days);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getObject("dropped", LocalDate.class));
      }
    }
  }

  // What lies in the default partition, which is normally empty, and progress without its attempt.
  private static final String SWEEP_NOTES =
      """
      SELECT jobs.sweep_notes(?, ?) AS swept
      """;

  static int sweepNotes(LeaderTransaction transaction, int days, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(SWEEP_NOTES)) {
      statement.setInt(1, days);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("swept");
      }
    }
  }
}
