package io.jobscheduler.worker.settle;

import io.jobscheduler.worker.database.Connections;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements that end attempts and release what waited for it. Thread-safe. */
final class SettleStore {
  private final Connections pool;

  SettleStore(Connections pool) {
    this.pool = pool;
  }

  // The function locks by id order and token, moves what ended, tells the edges and releases
  // children
  // (R__23_settle.sql). Fenced and idempotent: it may be repeated when its reply was lost. The
  // wait
  // is measured by the database's clock, after the function's own waits.
  private static final String SETTLE_JOBS =
      """
      SELECT s.id, s.verdict, s.state, s.queue_id, s.dispatch_lane, s.dispatch_key, s.project_id,
             (extract(epoch FROM s.run_at - clock_timestamp()) * 1000000)::bigint AS due_micros
        FROM jobs.settle(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) s
      """;

  List<SettledRow> settleJobs(long worker, List<Pending> batch) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(SETTLE_JOBS)) {
      statement.setLong(1, worker);
      statement.setObject(2, batch.stream().mapToLong(Pending::jobId).toArray());
      statement.setObject(3, batch.stream().mapToLong(Pending::leaseToken).toArray());
      statement.setArray(4, array(connection, "int4", batch, Pending::workflowId));
      statement.setArray(5, texts(connection, batch, Settlement::outcome));
      statement.setArray(6, texts(connection, batch, Settlement::result));
      statement.setArray(7, texts(connection, batch, Settlement::kind));
      statement.setArray(8, texts(connection, batch, Settlement::message));
      statement.setArray(9, texts(connection, batch, Settlement::stack));
      statement.setArray(10, texts(connection, batch, Settlement::fingerprint));
      statement.setArray(11, array(connection, "interval", batch, SettleStore::delay));
      statement.setArray(12, array(connection, "timestamptz", batch, SettleStore::until));
      try (ResultSet row = statement.executeQuery()) {
        List<SettledRow> rows = new ArrayList<>();
        while (row.next()) {
          long due = row.getLong("due_micros");
          rows.add(
              new SettledRow(
                  row.getLong("id"),
                  row.getString("verdict"),
                  row.getString("state"),
                  row.wasNull() ? null : due,
                  row.getInt("queue_id"),
                  row.getInt("dispatch_lane"),
                  row.getLong("dispatch_key"),
                  row.getInt("project_id")));
        }
        return rows;
      }
    }
  }

  private static @Nullable String delay(Pending pending) {
    return pending.settlement().delay() == null
        ? null
        : String.format(Locale.ROOT, "%d milliseconds", pending.settlement().delay().toMillis());
  }

  // As text with its offset: a Timestamp would be written in the time zone of this JVM.
  private static @Nullable String until(Pending pending) {
    Instant until = pending.settlement().until();
    return until == null ? null : until.toString();
  }

  private static Array texts(
      Connection connection, List<Pending> batch, Function<Settlement, @Nullable String> field)
      throws SQLException {
    return array(connection, "text", batch, pending -> field.apply(pending.settlement()));
  }

  private static Array array(
      Connection connection,
      String type,
      List<Pending> batch,
      Function<Pending, @Nullable Object> value)
      throws SQLException {
    return connection.createArrayOf(type, batch.stream().map(value).toArray());
  }

  // By primary key; only rows that are due by the database's clock, skipping those that another
  // promotes at this moment.
  private static final String PROMOTE_JOBS =
      """
      SELECT id, queue_id, dispatch_lane, dispatch_key, project_id FROM jobs.promote_jobs(?)
      """;

  /** Makes those of the jobs ready whose instant has come. */
  List<ReadyJob> promoteJobs(long[] ids) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(PROMOTE_JOBS)) {
      statement.setObject(1, ids);
      try (ResultSet row = statement.executeQuery()) {
        List<ReadyJob> ready = new ArrayList<>();
        while (row.next()) {
          ready.add(readyJob(row));
        }
        return ready;
      }
    }
  }

  // A batch of edges at a time, in a transaction of its own, so that a wide fan holds no lock for
  // long.
  private static final String RELEASE_PENDING =
      """
      SELECT kind, id, queue_id, dispatch_lane, dispatch_key, project_id FROM jobs.release_pending(?)
      """;

  /**
   * Releases a batch of children whose parents ended.
   *
   * @return those that became ready, or null when nothing was left to do
   */
  @Nullable List<ReadyJob> releasePending(int limit) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(RELEASE_PENDING)) {
      statement.setInt(1, limit);
      try (ResultSet row = statement.executeQuery()) {
        List<ReadyJob> ready = new ArrayList<>();
        boolean more = false;
        while (row.next()) {
          if (row.getString("kind").equals("more")) {
            more = true;
          } else {
            ready.add(readyJob(row));
          }
        }
        return more ? ready : null;
      }
    }
  }

  private static ReadyJob readyJob(ResultSet row) throws SQLException {
    return new ReadyJob(
        row.getLong("id"),
        row.getInt("queue_id"),
        row.getInt("dispatch_lane"),
        row.getLong("dispatch_key"),
        row.getInt("project_id"));
  }
}
