package io.jobscheduler.scheduler.queues;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The statements of queues that resume, change their order or declare paths. Stateless. */
final class QueueStore {

  /** A queue and its project. */
  record Resumed(int queueId, int projectId) {}

  private QueueStore() {}

  // By queues_resume with SKIP LOCKED: an operator's pause that is being written wins.
  private static final String RESUME_DUE =
      """
      SELECT r.queue_id, r.project_id FROM jobs.resume_due_queues() r
      """;

  static List<Resumed> resumeDue(LeaderTransaction transaction) throws SQLException {
    List<Resumed> resumed = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(RESUME_DUE);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        resumed.add(new Resumed(rows.getInt("queue_id"), rows.getInt("project_id")));
      }
    }
    return resumed;
  }

  // By queues_searched with SKIP LOCKED; nobody waits for it, and it waits for nobody.
  private static final String SETTLE_PATHS =
      """
      SELECT jobs.settle_search_paths()
      """;

  /** How many queues have paths that searches go by from now on. */
  static int settlePaths(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(SETTLE_PATHS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  // A read by queues_rekey, which is empty but while a switch is carried out.
  private static final String QUEUES_TO_REKEY =
      """
      SELECT q.queue_id FROM jobs.queues_to_rekey() q
      """;

  static List<Integer> queuesToRekey(DataSource dataSource) throws SQLException {
    List<Integer> queues = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(QUEUES_TO_REKEY);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        queues.add(rows.getInt("queue_id"));
      }
    }
    return queues;
  }

  // One step of a queue's walk in id order; passes over rows that others hold.
  private static final String REKEY_QUEUE =
      """
      SELECT r.queue_id, r.dispatch_lane, r.dispatch_key, r.id, q.project_id
        FROM jobs.rekey_queue(?, ?) r
        JOIN jobs.queues q ON q.id = r.queue_id
      """;

  /** The first place per lane into which jobs were moved. */
  static List<ReadyJob> rekey(LeaderTransaction transaction, int queue, int limit)
      throws SQLException {
    List<ReadyJob> moved = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(REKEY_QUEUE)) {
      statement.setInt(1, queue);
      statement.setInt(2, limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          moved.add(ReadyJob.read(rows));
        }
      }
    }
    return moved;
  }
}
