package io.jobscheduler.scheduler.rescue;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The statements of rescue, each inside a leader transaction. Stateless. */
final class RescueStore {

  /**
   * What a batch did.
   *
   * @param ended attempts that were ended
   * @param ready jobs that became claimable: given back, requeued, or children of those that died
   * @param unendable jobs that the database refuses to end: bad data among good
   */
  record Batch(int ended, List<ReadyJob> ready, List<Long> unendable) {}

  private RescueStore() {}

  // Judges and writes in one UPDATE with SKIP LOCKED: a beat that is being written wins.
  private static final String MARK_LOST_WORKERS =
      """
      SELECT l.id
        FROM jobs.mark_lost_workers(? * interval '1 millisecond', ? * interval '1 millisecond') l
      """;

  static List<Long> markLostWorkers(
      LeaderTransaction transaction, Duration timeout, Duration earlyLoss) throws SQLException {
    List<Long> lost = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(MARK_LOST_WORKERS)) {
      statement.setLong(1, timeout.toMillis());
      statement.setLong(2, earlyLoss.toMillis());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          lost.add(rows.getLong("id"));
        }
      }
    }
    return lost;
  }

  // Ends attempts by id and lease token, in id order with SKIP LOCKED; judges each worker again.
  private static final String RESCUE_JOBS =
      """
      SELECT r.id, r.verdict, r.state, r.queue_id, r.dispatch_lane, r.dispatch_key, r.project_id
        FROM jobs.rescue_jobs(?, ?) r
      """;

  static Batch rescueJobs(LeaderTransaction transaction, int limit, boolean absent)
      throws SQLException {
    int ended = 0;
    List<ReadyJob> ready = new ArrayList<>();
    List<Long> unendable = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(RESCUE_JOBS)) {
      statement.setInt(1, limit);
      statement.setBoolean(2, absent);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String verdict = rows.getString("verdict");
          ended += verdict.equals("settled") ? 1 : 0;
          if (verdict.equals("unendable")) {
            unendable.add(rows.getLong("id"));
          }
          boolean decided = verdict.equals("settled") || verdict.equals("child_ready");
          if (decided && "ready".equals(rows.getString("state"))) {
            ready.add(ReadyJob.read(rows));
          }
        }
      }
    }
    return new Batch(ended, ready, unendable);
  }

  // A handful of rows: workers that ended long ago and hold nothing.
  private static final String FORGET_WORKERS =
      """
      SELECT jobs.forget_workers(? * interval '1 millisecond') AS forgotten
      """;

  static int forgetWorkers(LeaderTransaction transaction, Duration age) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(FORGET_WORKERS)) {
      statement.setLong(1, age.toMillis());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("forgotten");
      }
    }
  }
}
