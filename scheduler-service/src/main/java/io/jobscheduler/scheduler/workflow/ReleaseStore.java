package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The statements of release and sweep, each inside a leader transaction. Stateless. */
final class ReleaseStore {

  /** Children that became claimable, and whether more wait to be told. */
  record Released(List<ReadyJob> ready, boolean more) {}

  /**
   * One step of the walk over blocked jobs.
   *
   * @param walkedTo the last id looked at, or 0 when the end was reached
   */
  record Swept(List<ReadyJob> ready, long walkedTo) {}

  private ReleaseStore() {}

  // Children in id order, locked before their edges are judged in a later statement.
  private static final String RELEASE_PENDING =
      """
      SELECT r.kind, r.id, r.queue_id, r.dispatch_lane, r.dispatch_key, r.project_id
        FROM jobs.release_pending(?, ?) r
      """;

  /** Of {@code only} those parents, where it is given. */
  static Released releasePending(
      LeaderTransaction transaction, int limit, @Nullable List<Long> only) throws SQLException {
    List<ReadyJob> ready = new ArrayList<>();
    boolean more = false;
    try (PreparedStatement statement = transaction.prepare(RELEASE_PENDING)) {
      statement.setInt(1, limit);
      statement.setArray(2, array(transaction, only));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getString("kind").equals("child_ready")) {
            ready.add(ReadyJob.read(rows));
          } else {
            more = true;
          }
        }
      }
    }
    return new Released(ready, more);
  }

  // The edges alone, in the order of their index: the sweep then decides each child by itself.
  private static final String TELL_EDGES =
      """
      SELECT jobs.tell_edges(?, ?) AS told
      """;

  static int tellEdges(LeaderTransaction transaction, long parent, int limit) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(TELL_EDGES)) {
      statement.setLong(1, parent);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("told");
      }
    }
  }

  static @Nullable Array array(LeaderTransaction transaction, @Nullable List<Long> ids)
      throws SQLException {
    return ids == null ? null : transaction.connection().createArrayOf("int8", ids.toArray());
  }

  // Keyset walk by jobs_blocked; what it finds decided goes through the same release.
  private static final String SWEEP_BLOCKED =
      """
      SELECT s.kind, s.id, s.queue_id, s.dispatch_lane, s.dispatch_key, s.project_id
        FROM jobs.sweep_blocked(?, ?) s
      """;

  static Swept sweepBlocked(LeaderTransaction transaction, long after, int limit)
      throws SQLException {
    List<ReadyJob> ready = new ArrayList<>();
    long walkedTo = 0;
    try (PreparedStatement statement = transaction.prepare(SWEEP_BLOCKED)) {
      statement.setLong(1, after);
      statement.setInt(2, limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getString("kind").equals("child_ready")) {
            ready.add(ReadyJob.read(rows));
          } else {
            walkedTo = rows.getLong("id");
          }
        }
      }
    }
    return new Swept(ready, walkedTo);
  }

  // One step into jobs_blocked.
  private static final String NEXT_BLOCKED =
      """
      SELECT j.id FROM jobs.jobs j WHERE j.state = 'blocked' AND j.id > ? ORDER BY j.id LIMIT 1
      """;

  /** The job that a sweep after that id looks at first; empty at the end. */
  static OptionalLong nextBlocked(LeaderTransaction transaction, long after) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(NEXT_BLOCKED)) {
      statement.setLong(1, after);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? OptionalLong.of(row.getLong("id")) : OptionalLong.empty();
      }
    }
  }
}
