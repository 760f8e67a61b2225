package io.jobscheduler.scheduler.promote;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The statements of promotion. Stateless. */
final class PromoteStore {
  private static final int TIMEOUT_SECONDS = 4;

  /**
   * What lies ahead, in microseconds since the epoch on the database's clock.
   *
   * @param nowMicros when it was read
   * @param dueMicros distinct instants, ascending
   * @param complete whether the window held them all
   */
  record Ahead(long nowMicros, List<Long> dueMicros, boolean complete) {}

  private PromoteStore() {}

  // A read of jobs_due in index order, bounded by the window; locks nothing, needs no leadership.
  private static final String DUE_AHEAD =
      """
      SELECT a.now_micros, a.due_micros, a.seen
        FROM jobs.due_ahead(? * interval '1 millisecond', ?) a
      """;

  static Ahead dueAhead(DataSource dataSource, Duration lookAhead, int window) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(DUE_AHEAD)) {
      statement.setLong(1, lookAhead.toMillis());
      statement.setInt(2, window);
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Long[] due = (Long[]) row.getArray("due_micros").getArray();
        return new Ahead(row.getLong("now_micros"), List.of(due), row.getInt("seen") < window);
      }
    }
  }

  // Oldest first by jobs_due, SKIP LOCKED: whoever else promotes takes other rows.
  private static final String PROMOTE_DUE =
      """
      SELECT p.id, p.queue_id, p.dispatch_lane, p.dispatch_key, p.project_id
        FROM jobs.promote_due(?) p
      """;

  static List<ReadyJob> promoteDue(LeaderTransaction transaction, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(PROMOTE_DUE)) {
      statement.setInt(1, limit);
      return ready(statement);
    }
  }

  // By primary key, in id order with SKIP LOCKED; those that are not due stay.
  private static final String PROMOTE_JOBS =
      """
      SELECT p.id, p.queue_id, p.dispatch_lane, p.dispatch_key, p.project_id
        FROM jobs.promote_jobs(?) p
      """;

  static List<ReadyJob> promoteJobs(LeaderTransaction transaction, List<Long> ids)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(PROMOTE_JOBS)) {
      statement.setArray(1, transaction.connection().createArrayOf("int8", ids.toArray()));
      return ready(statement);
    }
  }

  private static List<ReadyJob> ready(PreparedStatement statement) throws SQLException {
    List<ReadyJob> promoted = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        promoted.add(ReadyJob.read(rows));
      }
    }
    return promoted;
  }
}
