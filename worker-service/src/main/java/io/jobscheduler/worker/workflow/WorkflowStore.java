package io.jobscheduler.worker.workflow;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.handlers.ParentResult;
import io.jobscheduler.worker.settle.ReadyJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The statements of attempts about the graph around their job. Thread-safe. */
final class WorkflowStore {
  private final Connections pool;

  WorkflowStore(Connections pool) {
    this.pool = pool;
  }

  // Reads only; fenced (R__41_handlers.sql), or JS001.
  private static final String PARENT_RESULTS =
      """
      SELECT p.parent_id, p.key, p.state, p.kind, p.result
        FROM jobs.parent_results(?, ?, ?, ?, ?) p
      """;

  /**
   * The parents by id.
   *
   * @param most bytes of one result
   * @param mostInAll bytes of all of them
   */
  List<ParentResult> parentResults(long worker, ClaimedJob job, int most, int mostInAll)
      throws SQLException {
    List<ParentResult> parents = new ArrayList<>();
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(PARENT_RESULTS)) {
      statement.setLong(1, worker);
      statement.setLong(2, job.id());
      statement.setLong(3, job.leaseToken());
      statement.setInt(4, most);
      statement.setInt(5, mostInAll);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          parents.add(
              new ParentResult(
                  rows.getLong("parent_id"),
                  rows.getString("key"),
                  rows.getString("state"),
                  ParentResult.Found.valueOf(
                      rows.getString("kind").replace('-', '_').toUpperCase(Locale.ROOT)),
                  rows.getString("result")));
        }
      }
    }
    return parents;
  }

  /** What came of one of the jobs to add, or why none was added. */
  record Verdict(String verdict, String key) {}

  /** What came of adding jobs, and which of them are ready. */
  record Added(List<Verdict> verdicts, List<ReadyJob> ready) {}

  // Under the workflow's lock; fenced, and keyed: repeating it adds nothing twice.
  private static final String ADD_DOWNSTREAM =
      """
      SELECT a.verdict, a.key, a.id, a.queue_id, a.dispatch_lane, a.dispatch_key
        FROM jobs.add_downstream(?, ?, ?, ?::json, ?, ?, ?) a
      """;

  Added addDownstream(long worker, ClaimedJob job, Growth growth) throws SQLException {
    List<Verdict> verdicts = new ArrayList<>();
    List<ReadyJob> ready = new ArrayList<>();
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(ADD_DOWNSTREAM)) {
      statement.setLong(1, worker);
      statement.setLong(2, job.id());
      statement.setLong(3, job.leaseToken());
      statement.setString(4, growth.jobs());
      statement.setArray(5, connection.createArrayOf("text", growth.parents().toArray()));
      statement.setArray(6, connection.createArrayOf("text", growth.children().toArray()));
      statement.setArray(7, connection.createArrayOf("text", growth.conditions().toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String key = rows.getString("key");
          verdicts.add(new Verdict(rows.getString("verdict"), key == null ? "" : key));
          if (rows.getInt("queue_id") != 0) {
            ready.add(
                new ReadyJob(
                    rows.getLong("id"),
                    rows.getInt("queue_id"),
                    rows.getInt("dispatch_lane"),
                    rows.getLong("dispatch_key"),
                    job.projectId()));
          }
        }
      }
    }
    return new Added(verdicts, ready);
  }
}
