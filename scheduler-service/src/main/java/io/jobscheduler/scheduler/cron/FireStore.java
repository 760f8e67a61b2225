package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.cron.Decision.Fire;
import io.jobscheduler.scheduler.cron.Decision.Missed;
import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The statements of firing. Stateless. */
final class FireStore {
  private static final int TIMEOUT_SECONDS = 4;

  /**
   * What lies ahead, in microseconds since the epoch on the database's clock.
   *
   * @param dueMicros distinct instants, ascending
   * @param complete whether the window held them all
   * @param waiting some fire waits for the run before it
   * @param backfills some backfill runs
   */
  record Ahead(
      long nowMicros, List<Long> dueMicros, boolean complete, boolean waiting, boolean backfills) {}

  private FireStore() {}

  // A read of schedules_wake in index order, bounded by the window; locks nothing, needs no
  // leadership.
  private static final String SCHEDULES_AHEAD =
      """
      SELECT a.now_micros, a.due_micros, a.seen, a.waiting, a.backfills
        FROM jobs.schedules_ahead(? * interval '1 millisecond', ?) a
      """;

  static Ahead schedulesAhead(DataSource dataSource, Duration lookAhead, int window)
      throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(SCHEDULES_AHEAD)) {
      statement.setLong(1, lookAhead.toMillis());
      statement.setInt(2, window);
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Long[] due = (Long[]) row.getArray("due_micros").getArray();
        return new Ahead(
            row.getLong("now_micros"),
            List.of(due),
            row.getInt("seen") < window,
            row.getBoolean("waiting"),
            row.getBoolean("backfills"));
      }
    }
  }

  // Longest due first by schedules_wake, SKIP LOCKED: an edit in flight holds up its own only.
  private static final String TAKE_DUE_SCHEDULES =
      """
      SELECT t.id, t.project_id, t.name, t.version, t.kind, t.expression, t.dialect, t.every_ms, t.anchor,
             t.time_zone, t.start_at, t.end_at, t.exclusions, t.jitter_ms, t.misfire_policy, t.max_catch_up,
             t.catch_up_window_ms, t.planned_to, t.now, t.paused
        FROM jobs.take_due_schedules(?, ?) t
      """;

  static List<Definition> takeDueSchedules(
      LeaderTransaction transaction, int limit, Collection<Integer> except) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(TAKE_DUE_SCHEDULES)) {
      statement.setInt(1, limit);
      statement.setArray(2, transaction.connection().createArrayOf("int4", except.toArray()));
      return definitions(statement);
    }
  }

  // Once at the start of a term: walks the primary key. Those that are being edited are reckoned
  // with the new data by whoever edits them, or at their next fire.
  private static final String TAKE_STALE_SCHEDULES =
      """
      SELECT t.id, t.project_id, t.name, t.version, t.kind, t.expression, t.dialect, t.every_ms, t.anchor,
             t.time_zone, t.start_at, t.end_at, t.exclusions, t.jitter_ms, t.misfire_policy, t.max_catch_up,
             t.catch_up_window_ms, t.planned_to, t.now, t.paused
        FROM jobs.take_stale_schedules(?, ?, ?) t
      """;

  static List<Definition> takeStaleSchedules(
      LeaderTransaction transaction, String tzdb, int after, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(TAKE_STALE_SCHEDULES)) {
      statement.setString(1, tzdb);
      statement.setInt(2, after);
      statement.setInt(3, limit);
      return definitions(statement);
    }
  }

  private static List<Definition> definitions(PreparedStatement statement) throws SQLException {
    List<Definition> schedules = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        schedules.add(Definition.read(rows));
      }
    }
    return schedules;
  }

  // One statement for all of it, whatever the number of schedules: fires, jobs and the schedules'
  // new
  // places stand or fall together.
  private static final String FIRE_SCHEDULES =
      """
      SELECT f.kind, f.trigger, f.reason, f.lag_micros, f.schedule_id, f.id, f.queue_id, f.dispatch_lane,
             f.dispatch_key, f.project_id, f.due_micros
        FROM jobs.fire_schedules(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) f
      """;

  static Fired fireSchedules(LeaderTransaction transaction, List<Decision> decisions, String tzdb)
      throws SQLException {
    List<Map.Entry<Decision, Fire>> fires = new ArrayList<>();
    List<Map.Entry<Decision, Missed>> missed = new ArrayList<>();
    for (Decision decision : decisions) {
      decision.fires().forEach(f -> fires.add(Map.entry(decision, f)));
      decision.missed().ifPresent(m -> missed.add(Map.entry(decision, m)));
    }
    Connection c = transaction.connection();
    try (PreparedStatement s = transaction.prepare(FIRE_SCHEDULES)) {
      s.setArray(1, c.createArrayOf("int4", column(decisions, Decision::scheduleId)));
      s.setArray(2, c.createArrayOf("timestamptz", column(decisions, d -> at(d.plannedTo()))));
      s.setArray(3, c.createArrayOf("timestamptz", column(decisions, d -> at(d.next()))));
      s.setString(4, tzdb);
      s.setArray(5, c.createArrayOf("int4", column(fires, f -> f.getKey().scheduleId())));
      s.setArray(
          6, c.createArrayOf("timestamptz", column(fires, f -> at(f.getValue().plannedAt()))));
      s.setArray(7, c.createArrayOf("text", column(fires, f -> f.getValue().local())));
      s.setArray(8, c.createArrayOf("text", column(fires, f -> f.getValue().trigger())));
      s.setArray(9, c.createArrayOf("timestamptz", column(fires, f -> at(f.getValue().runAt()))));
      s.setArray(10, c.createArrayOf("int4", column(fires, f -> f.getValue().missedCount())));
      s.setArray(11, c.createArrayOf("int4", column(missed, m -> m.getKey().scheduleId())));
      s.setArray(12, c.createArrayOf("timestamptz", column(missed, m -> at(m.getValue().from()))));
      s.setArray(13, c.createArrayOf("timestamptz", column(missed, m -> at(m.getValue().to()))));
      s.setArray(14, c.createArrayOf("int4", column(missed, m -> m.getValue().count())));
      s.setArray(15, c.createArrayOf("text", column(missed, m -> m.getValue().reason())));
      long ranges = missed.stream().mapToLong(m -> m.getValue().count()).sum();
      return Fired.read(s).withMissed(ranges);
    }
  }

  private static <T> @Nullable Object[] column(
      List<T> rows, Function<T, ? extends @Nullable Object> value) {
    @Nullable Object[] column = new @Nullable Object[rows.size()];
    for (int i = 0; i < column.length; i++) {
      column[i] = value.apply(rows.get(i));
    }
    return column;
  }

  /** An instant as text, which an array of timestamptz takes in whatever zone the session is. */
  static @Nullable String at(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }

  // Oldest first per schedule; looks again under the schedule's lock.
  private static final String START_QUEUED_FIRES =
      """
      SELECT f.kind, f.trigger, f.reason, f.lag_micros, f.schedule_id, f.id, f.queue_id, f.dispatch_lane,
             f.dispatch_key, f.project_id, f.due_micros
        FROM jobs.start_queued_fires(?) f
      """;

  static Fired startQueuedFires(LeaderTransaction transaction, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(START_QUEUED_FIRES)) {
      statement.setInt(1, limit);
      return Fired.read(statement);
    }
  }

  /** A schedule to be disabled, as it was when it failed. */
  record Broken(int id, int version, String reason) {}

  private static final String DISABLE_SCHEDULES =
      """
      SELECT d.id, d.project_id FROM jobs.disable_schedules(?, ?, ?) d
      """;

  /** Returns the projects of those that it disabled. */
  static List<Integer> disableSchedules(LeaderTransaction transaction, List<Broken> broken)
      throws SQLException {
    Connection c = transaction.connection();
    List<Integer> projects = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(DISABLE_SCHEDULES)) {
      statement.setArray(1, c.createArrayOf("int4", column(broken, Broken::id)));
      statement.setArray(2, c.createArrayOf("int4", column(broken, Broken::version)));
      statement.setArray(3, c.createArrayOf("text", column(broken, Broken::reason)));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          projects.add(rows.getInt("project_id"));
        }
      }
    }
    return projects;
  }

  // The oldest rows by the primary key, bounded.
  private static final String EXPIRE_FIRES =
      """
      SELECT jobs.expire_fires(? * interval '1 second', ?)
      """;

  static int expireFires(LeaderTransaction transaction, Duration age, int limit)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(EXPIRE_FIRES)) {
      statement.setLong(1, age.toSeconds());
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
