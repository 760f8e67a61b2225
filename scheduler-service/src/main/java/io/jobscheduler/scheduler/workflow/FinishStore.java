package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements about a workflow's end, each inside a leader transaction. Stateless. */
final class FinishStore {

  /** A workflow that has ended. */
  record Finished(int id, int projectId, String state) {}

  /** Workflows that have ended, and the jobs that were to be made of that. */
  record Ended(List<Finished> workflows, List<ReadyJob> ready) {}

  /**
   * A workflow whose deadline has passed.
   *
   * @param cancelled of its jobs, those that waited and have ended
   * @param requested those that run and were asked to end
   */
  record Overdue(int id, int projectId, int cancelled, int requested) {}

  private FinishStore() {}

  // SKIP LOCKED in id order, by workflows_unfinished; each is judged by its members in a later
  // statement. A callback's guard is its own row, so that it fires once.
  private static final String FINISH_WORKFLOWS =
      """
      SELECT f.kind, f.id, f.project_id, f.final_state, f.queue_id, f.dispatch_lane, f.dispatch_key
        FROM jobs.finish_workflows(?, ?) f
      """;

  /** Of {@code only} those workflows, where it is given. */
  static Ended finishWorkflows(LeaderTransaction transaction, int limit, @Nullable List<Long> only)
      throws SQLException {
    List<Finished> finished = new ArrayList<>();
    List<ReadyJob> ready = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(FINISH_WORKFLOWS)) {
      statement.setInt(1, limit);
      statement.setArray(2, ReleaseStore.array(transaction, only));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getString("kind").equals("job_ready")) {
            ready.add(ReadyJob.read(rows));
          } else {
            finished.add(
                new Finished(
                    rows.getInt("id"), rows.getInt("project_id"), rows.getString("final_state")));
          }
        }
      }
    }
    return new Ended(finished, ready);
  }

  // Notes are appended by whoever ends a member badly; read and removed here, SKIP LOCKED.
  private static final String NOTE_FIRST_FAILURES =
      """
      SELECT n.id, n.queue_id, n.dispatch_lane, n.dispatch_key, n.project_id
        FROM jobs.note_first_failures(?) n
      """;

  /** The jobs that are to follow a first failure. */
  static List<ReadyJob> noteFirstFailures(LeaderTransaction transaction, int limit)
      throws SQLException {
    List<ReadyJob> ready = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(NOTE_FIRST_FAILURES)) {
      statement.setInt(1, limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ready.add(ReadyJob.read(rows));
        }
      }
    }
    return ready;
  }

  // The workflow exclusively, by try-lock; then its rows in id order, SKIP LOCKED.
  private static final String CANCEL_OVERDUE =
      """
      SELECT o.id, o.project_id, o.cancelled, o.requested FROM jobs.cancel_overdue(?) o
      """;

  static List<Overdue> cancelOverdue(LeaderTransaction transaction, int limit) throws SQLException {
    List<Overdue> overdue = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepare(CANCEL_OVERDUE)) {
      statement.setInt(1, limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          overdue.add(
              new Overdue(
                  rows.getInt("id"),
                  rows.getInt("project_id"),
                  rows.getInt("cancelled"),
                  rows.getInt("requested")));
        }
      }
    }
    return overdue;
  }
}
