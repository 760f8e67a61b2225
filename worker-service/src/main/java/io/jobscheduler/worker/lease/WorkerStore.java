package io.jobscheduler.worker.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The worker's own row and its session lock. Stateless. */
public final class WorkerStore {

  // Nobody else uses this key, so the try succeeds unless an earlier session of ours is still
  // dying.
  // Session level: it is freed by the server when the process is gone, which is what makes kill -9
  // visible within seconds.
  private static final String LOCK_INCARNATION = "SELECT pg_try_advisory_lock(?)";

  /** Takes the incarnation's session lock; false while a former session still holds it. */
  public boolean lockIncarnation(Connection connection, long worker) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK_INCARNATION)) {
      statement.setLong(1, worker);
      return single(statement);
    }
  }

  // One insert; the primary key refuses an incarnation drawn twice.
  private static final String REGISTER_WORKER = "SELECT jobs.register_worker(?, ?, ?, ?, ?, ?, ?)";

  /**
   * Writes the worker's row, once per incarnation.
   *
   * @param draining whether the process was asked to claim nothing under its former incarnation
   */
  public void registerWorker(
      Connection connection, long worker, WorkerIdentity identity, boolean draining)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REGISTER_WORKER)) {
      statement.setLong(1, worker);
      statement.setString(2, identity.host());
      statement.setLong(3, identity.pid());
      statement.setString(4, identity.version());
      statement.setArray(5, connection.createArrayOf("text", identity.queues().toArray()));
      statement.setInt(6, identity.slots());
      statement.setBoolean(7, draining);
      statement.execute();
    }
  }

  // By primary key; matches no row once the worker is lost or stopped, for good. The requests to
  // cancel by the index on the worker, the wish for a drain by its key: usually none.
  private static final String BEAT = "SELECT alive, cancels, drain FROM jobs.beat(?, ?, ?, ?)";

  /** One beat. */
  public BeatReply beat(Connection connection, long worker, BeatReport report) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BEAT)) {
      statement.setLong(1, worker);
      statement.setInt(2, report.running());
      statement.setBoolean(3, report.draining());
      statement.setObject(4, report.unstarted());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new BeatReply(
            row.getBoolean("alive"),
            List.of((Long[]) row.getArray("cancels").getArray()),
            row.getBoolean("drain"));
      }
    }
  }

  // By primary key.
  private static final String STOP_WORKER = "SELECT jobs.stop_worker(?)";

  /** Says good-bye: whatever the worker still holds may be swept at once. */
  public void stopWorker(Connection connection, long worker) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STOP_WORKER)) {
      statement.setLong(1, worker);
      statement.execute();
    }
  }

  private static boolean single(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
