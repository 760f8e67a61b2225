package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The statements of backfills, each inside a leader transaction. Stateless. */
final class BackfillStore {

  /**
   * A backfill and its schedule, locked.
   *
   * @param cursor planned times up to here are decided
   * @param rangeTo the first instant that it does not cover
   */
  record Taken(Definition schedule, int backfillId, Instant cursor, Instant rangeTo) {}

  private BackfillStore() {}

  // The schedule's row is locked, SKIP LOCKED: whoever changes a backfill locks it first.
  private static final String TAKE_BACKFILL =
      """
      SELECT t.id, t.project_id, t.name, t.version, t.kind, t.expression, t.dialect, t.every_ms, t.anchor,
             t.time_zone, t.start_at, t.end_at, t.exclusions, t.jitter_ms, t.misfire_policy, t.max_catch_up,
             t.catch_up_window_ms, t.planned_to, t.now, t.paused, t.backfill_id, t.cursor_at, t.range_to
        FROM jobs.take_backfill() t
      """;

  static Optional<Taken> takeBackfill(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(TAKE_BACKFILL);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        return Optional.empty();
      }
      return Optional.of(
          new Taken(
              Definition.read(row),
              row.getInt("backfill_id"),
              Definition.instant(row, "cursor_at"),
              Definition.instant(row, "range_to")));
    }
  }

  // One statement: fires, jobs and the backfill's cursor stand or fall together.
  private static final String FIRE_BACKFILL =
      """
      SELECT f.kind, f.trigger, f.reason, f.lag_micros, f.schedule_id, f.id, f.queue_id, f.dispatch_lane,
             f.dispatch_key, f.project_id, f.due_micros
        FROM jobs.fire_backfill(?, ?, ?, ?::timestamptz) f
      """;

  static Fired fireBackfill(
      LeaderTransaction transaction,
      int backfill,
      List<Instant> planned,
      List<String> locals,
      Instant cursor)
      throws SQLException {
    Connection c = transaction.connection();
    try (PreparedStatement statement = transaction.prepare(FIRE_BACKFILL)) {
      statement.setInt(1, backfill);
      statement.setArray(
          2, c.createArrayOf("timestamptz", planned.stream().map(Instant::toString).toArray()));
      statement.setArray(3, c.createArrayOf("text", locals.toArray()));
      statement.setString(4, cursor.toString());
      return Fired.read(statement);
    }
  }

  // By backfills_running.
  private static final String FINISH_BACKFILLS =
      """
      SELECT jobs.finish_backfills()
      """;

  static int finishBackfills(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(FINISH_BACKFILLS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  private static final String ABORT_BACKFILL =
      """
      SELECT a.state, a.dropped FROM jobs.abort_backfill(?, ?, ?, ?) a
      """;

  static boolean abort(LeaderTransaction transaction, Taken taken, String reason)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(ABORT_BACKFILL)) {
      statement.setInt(1, taken.schedule().projectId());
      statement.setInt(2, taken.schedule().id());
      statement.setInt(3, taken.backfillId());
      statement.setString(4, reason);
      return statement.execute();
    }
  }
}
