package io.jobscheduler.scheduler.bulk;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The statements of bulk actions. Stateless. */
final class BulkStore {
  private static final int TIMEOUT_SECONDS = 2;

  /**
   * What a step did.
   *
   * @param worked rows; 0 when nothing could be done now
   * @param projectId of the action; 0 when it is another's, or has ended
   * @param ready jobs that can be claimed now
   * @param workers that have to end a job
   */
  record Step(int worked, int projectId, List<ReadyJob> ready, List<Long> workers) {}

  private BulkStore() {}

  // A read by bulk_actions_open, which is empty but while something is carried out.
  private static final String OPEN_BULK_ACTIONS =
      """
      SELECT o.id FROM jobs.open_bulk_actions(?, ?, ?) o
      """;

  /** Those with ids above {@code after}, the lowest ids first. */
  static List<Long> openActions(DataSource dataSource, long after, int limit, List<Long> except)
      throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(OPEN_BULK_ACTIONS)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      statement.setLong(1, after);
      statement.setInt(2, limit);
      statement.setArray(3, connection.createArrayOf("int8", except.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong("id"));
        }
      }
    }
    return ids;
  }

  // Locks the action's row, if nobody has it; then workflows and jobs by trying.
  private static final String STEP_BULK_ACTION =
      """
      SELECT s.worked, s.project_id, s.ready_ids, s.ready_queues, s.ready_lanes, s.ready_keys,
             s.workers
        FROM jobs.step_bulk_action(?, ?, ?, ?) s
      """;

  // A smaller batch looks at fewer rows as well; none at all is tried as one alone was.
  static Step step(LeaderTransaction transaction, long action, int batch, BulkConfig config)
      throws SQLException {
    long scan = (long) config.scan() * Math.max(batch, 1) / config.batch();
    try (PreparedStatement statement = transaction.prepare(STEP_BULK_ACTION)) {
      statement.setLong(1, action);
      statement.setInt(2, batch);
      statement.setInt(3, (int) Math.max(scan, 1));
      statement.setInt(4, config.window());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Array workers = row.getArray("workers");
        return new Step(
            row.getInt("worked"),
            row.getInt("project_id"),
            ready(row),
            workers == null ? List.of() : List.of((Long[]) workers.getArray()));
      }
    }
  }

  private static List<ReadyJob> ready(ResultSet row) throws SQLException {
    Array array = row.getArray("ready_ids");
    if (array == null) {
      return List.of();
    }
    Long[] ids = (Long[]) array.getArray();
    Integer[] queues = (Integer[]) row.getArray("ready_queues").getArray();
    Short[] lanes = (Short[]) row.getArray("ready_lanes").getArray();
    Long[] keys = (Long[]) row.getArray("ready_keys").getArray();
    List<ReadyJob> ready = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      ready.add(new ReadyJob(ids[i], queues[i], lanes[i], keys[i], row.getInt("project_id")));
    }
    return ready;
  }

  private static final String PASS_BULK_JOB =
      """
      SELECT jobs.pass_bulk_job(?, ?)
      """;

  /**
   * Passes the next job of an action.
   *
   * @param reason why it cannot be done; null to leave it for a later pass
   * @return its id, or 0
   */
  static long pass(LeaderTransaction transaction, long action, @Nullable String reason)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(PASS_BULK_JOB)) {
      statement.setLong(1, action);
      statement.setString(2, reason);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  // By bulk_actions_ended; the jobs' rows by primary key.
  private static final String FORGET_BULK_ACTIONS =
      """
      SELECT jobs.forget_bulk_actions(? * interval '1 millisecond', ?)
      """;

  static int forget(LeaderTransaction transaction, Duration keep, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(FORGET_BULK_ACTIONS)) {
      statement.setLong(1, keep.toMillis());
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
