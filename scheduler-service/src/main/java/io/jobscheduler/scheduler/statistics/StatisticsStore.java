package io.jobscheduler.scheduler.statistics;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** The statements of statistics, each inside a leader transaction. Stateless. */
final class StatisticsStore {

  /**
   * What a call has counted.
   *
   * @param rolledTo what ended before is counted
   * @param touched rows changed; -1 when the slice is not closed yet
   */
  record Rolled(Instant rolledTo, int touched) {
    boolean isOpen() {
      return touched < 0;
    }
  }

  private StatisticsStore() {}

  // Reads one slice by the BRIN index on finished_at; locks the one row of progress.
  private static final String ROLL_UP =
      """
      SELECT r.rolled_to, r.touched
        FROM jobs.roll_up_statistics(? * interval '1 millisecond', ? * interval '1 millisecond', ?) r
      """;

  /** Empty when no minute is over. */
  static Optional<Rolled> rollUp(
      LeaderTransaction transaction, Duration slice, Duration patience, boolean skip)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(ROLL_UP)) {
      statement.setLong(1, slice.toMillis());
      statement.setLong(2, patience.toMillis());
      statement.setBoolean(3, skip);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        return Optional.of(
            new Rolled(
                row.getObject("rolled_to", OffsetDateTime.class).toInstant(),
                row.getInt("touched")));
      }
    }
  }

  // Counts stop at 10,000 per queue and state, by jobs_ready and jobs_running.
  private static final String SAMPLE_DEPTHS =
      """
      SELECT jobs.sample_queue_depths() AS touched
      """;

  static int sampleDepths(LeaderTransaction transaction) throws SQLException {
    return number(transaction, SAMPLE_DEPTHS);
  }

  // Reads the pages that were filled since the last call; waits 100 ms at most for each partition.
  private static final String SUMMARISE =
      """
      SELECT jobs.summarise_finished_jobs() AS touched
      """;

  static int summarise(LeaderTransaction transaction) throws SQLException {
    return number(transaction, SUMMARISE);
  }

  // Oldest first by the indexes on age.
  private static final String FORGET =
      """
      SELECT jobs.forget_statistics(?) AS touched
      """;

  static int forget(LeaderTransaction transaction, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(FORGET)) {
      statement.setInt(1, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("touched");
      }
    }
  }

  private static int number(LeaderTransaction transaction, String sql) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt("touched");
    }
  }
}
