package io.jobscheduler.scheduler.snapshots;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The one statement on who holds what. */
final class SnapshotStore {
  private static final int TIMEOUT_SECONDS = 4;

  /**
   * A transaction id that vacuum has to respect, and who holds it.
   *
   * @param forAtLeast how long, as far as the database says; zero where it does not
   */
  record Held(String xid, String holder, Duration forAtLeast) {}

  private final DataSource dataSource;

  SnapshotStore(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  // Views in memory; locks nothing. Ids and roles of others are shown to everybody, their
  // xact_start only to pg_read_all_stats: hence no times. Sessions of other databases do not hold
  // up vacuum here; autovacuum has no role, and vacuum does not wait for vacuum. Who holds an id as
  // his own comes before those whose snapshots merely respect it.
  private static final String HELD =
      """
      SELECT h.xid, h.holder, h.seconds
        FROM (SELECT CASE WHEN coalesce(age(a.backend_xid) >= age(a.backend_xmin), a.backend_xmin IS NULL)
                          THEN a.backend_xid ELSE a.backend_xmin END AS xid,
                     concat('process ', a.pid, ' of role ', a.usename) AS holder,
                     0 AS seconds,
                     a.backend_xid IS NULL AS respects
                FROM pg_catalog.pg_stat_activity a
               WHERE (a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL)
                 AND a.usesysid IS NOT NULL
                 AND a.pid <> pg_backend_pid()
                 AND (a.datid IS NULL OR a.datname = current_database())
              UNION ALL
              SELECT p.transaction, concat('prepared transaction ', p.gid, ' of role ', p.owner),
                     greatest(extract(epoch FROM clock_timestamp() - p.prepared), 0), false
                FROM pg_catalog.pg_prepared_xacts p
               WHERE p.database = current_database()
              UNION ALL
              SELECT s.xmin, concat('replication slot ', s.slot_name), 0, true
                FROM pg_catalog.pg_replication_slots s
               WHERE s.xmin IS NOT NULL) h
       ORDER BY h.respects, h.holder
      """;

  List<Held> read() throws SQLException {
    List<Held> held = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(HELD)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          held.add(
              new Held(
                  rows.getString("xid"),
                  rows.getString("holder"),
                  Duration.ofSeconds(rows.getLong("seconds"))));
        }
      }
    }
    return held;
  }
}
