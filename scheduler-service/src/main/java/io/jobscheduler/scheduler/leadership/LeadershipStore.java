package io.jobscheduler.scheduler.leadership;

import io.jobscheduler.schema.names.AdvisoryLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The statements of leadership, each on the lock's own session in autocommit. Stateless. */
final class LeadershipStore {

  /** What an attempt to lead found. */
  record Attempt(boolean obtained, boolean stale) {}

  private LeadershipStore() {}

  // Try-lock, since waiting inside pg_advisory_lock would hold a snapshot and block vacuum. The
  // leader's age comes with it: a standby has one statement per second.
  private static final String TRY_TO_LEAD =
      """
      SELECT pg_try_advisory_lock(?, 0) AS obtained,
             l.renewed_at < clock_timestamp() - ? * interval '1 millisecond' AS stale
        FROM jobs.leadership l
      """;

  static Attempt tryToLead(Connection session, Duration staleAfter) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(TRY_TO_LEAD)) {
      statement.setInt(1, AdvisoryLocks.LEADERSHIP);
      statement.setLong(2, staleAfter.toMillis());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("table leadership has lost its row", "02000");
        }
        return new Attempt(row.getBoolean("obtained"), row.getBoolean("stale"));
      }
    }
  }

  // By the lock, not by the row: the row's pid may be that of a session which ended, and its number
  // be another's by now. Judged again here, where the renewal may have come meanwhile.
  // MATERIALIZED,
  // with the call outside: as one of several conditions it was run first, for every lock's holder.
  private static final String END_STALE_HOLDER =
      """
      WITH holder AS MATERIALIZED (
        SELECT k.pid
          FROM pg_locks k
         WHERE k.locktype = 'advisory' AND k.classid = ?::oid AND k.objid = 0 AND k.objsubid = 2
           AND k.granted
           AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
           AND EXISTS (SELECT 1 FROM jobs.leadership l
                        WHERE l.renewed_at < clock_timestamp() - ? * interval '1 millisecond')
      )
      SELECT h.pid, pg_terminate_backend(h.pid) FROM holder h
      """;

  static List<Integer> endStaleHolder(Connection session, Duration staleAfter) throws SQLException {
    List<Integer> ended = new ArrayList<>();
    try (PreparedStatement statement = session.prepareStatement(END_STALE_HOLDER)) {
      statement.setInt(1, AdvisoryLocks.LEADERSHIP);
      statement.setLong(2, staleAfter.toMillis());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ended.add(rows.getInt("pid"));
        }
      }
    }
    return ended;
  }

  // Says that whoever holds the lock now is awake, before it waits to raise the epoch: another
  // standby would take it for the stale leader otherwise. Changes no key, so it waits for nobody.
  private static final String SHOW_LIFE =
      """
      UPDATE jobs.leadership SET renewed_at = clock_timestamp()
      """;

  // Changes the key: waits for the leader transactions that hold it FOR KEY SHARE (5 s at most) and
  // leaves later ones without their row. clock_timestamp(), since it may have waited.
  private static final String RAISE_EPOCH =
      """
      UPDATE jobs.leadership
         SET epoch = epoch + 1, holder = ?, pid = pg_backend_pid(),
             taken_at = clock_timestamp(), renewed_at = clock_timestamp()
      RETURNING epoch
      """;

  static Term takeOver(Connection session, String holder) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(SHOW_LIFE)) {
      statement.executeUpdate();
    }
    try (PreparedStatement statement = session.prepareStatement(RAISE_EPOCH)) {
      statement.setString(1, holder);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("table leadership has lost its row", "02000");
        }
        return new Term(row.getLong("epoch"));
      }
    }
  }

  // Leaves the key alone, so FOR KEY SHARE of the loops' transactions does not hold it up. Notes
  // when the one before is too long ago by the database's clock: that was away, or was put forward,
  // and the silence of workers proves nothing for a while.
  private static final String RENEW =
      """
      UPDATE jobs.leadership
         SET renewed_at = clock_timestamp(),
             late_at = CASE WHEN renewed_at < clock_timestamp() - ? * interval '1 millisecond'
                            THEN clock_timestamp() ELSE late_at END
       WHERE epoch = ?
      """;

  static boolean renew(Connection session, Term term, Duration late) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(RENEW)) {
      statement.setLong(1, late.toMillis());
      statement.setLong(2, term.epoch());
      return statement.executeUpdate() == 1;
    }
  }
}
