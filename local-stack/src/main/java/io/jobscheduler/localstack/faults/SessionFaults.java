package io.jobscheduler.localstack.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code pg_terminate_backend} of sessions of the services. */
final class SessionFaults {
  /** Every so many choices all such sessions end, otherwise one. */
  private static final int ALL_EVERY = 4;

  private SessionFaults() {}

  // Session locks are held while no transaction runs: those of workers, and the leader's.
  private static final String LOCKS =
      """
      SELECT a.pid FROM pg_stat_activity a
       WHERE a.datname = current_database() AND a.usename = ANY (?) AND a.state = 'idle'
         AND EXISTS (SELECT 1 FROM pg_locks l
                      WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted)
       ORDER BY a.pid
      """;

  /** Sessions that hold a session lock: of the leader, or of a worker's beats. */
  static Optional<Breakage> locks(Ground ground, long choice) throws Exception {
    return end(ground, LOCKS, "lock sessions", choice);
  }

  private static final String LISTENS =
      """
      SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND usename = ANY (?) AND query ILIKE 'listen%'
       ORDER BY pid
      """;

  /** Sessions that listen for wake-ups. */
  static Optional<Breakage> listens(Ground ground, long choice) throws Exception {
    return end(ground, LISTENS, "LISTEN sessions", choice);
  }

  private static final String ORDINARY =
      """
      SELECT a.pid FROM pg_stat_activity a
       WHERE a.datname = current_database() AND a.usename = ANY (?) AND a.query NOT ILIKE 'listen%'
         AND NOT EXISTS (SELECT 1 FROM pg_locks l
                          WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted
                            AND a.state = 'idle')
       ORDER BY a.state = 'idle', a.pid
      """;

  /** All others, those in the middle of something first. */
  static Optional<Breakage> ordinary(Ground ground, long choice) throws Exception {
    return end(ground, ORDINARY, "ordinary sessions", choice);
  }

  private static final String END = "SELECT pg_terminate_backend(?)";

  private static Optional<Breakage> end(Ground ground, String which, String what, long choice)
      throws SQLException {
    try (Connection admin = ground.stack().database().admin()) {
      List<Integer> all = pids(admin, which, users(ground));
      if (all.isEmpty()) {
        return Optional.empty();
      }
      List<Integer> chosen =
          choice % ALL_EVERY == 0
              ? all
              : List.of(all.get((int) Math.floorMod(choice, (long) all.size())));
      end(admin, chosen);
      return Optional.of(new Breakage(chosen.size() + " " + what, null, () -> {}));
    }
  }

  private static List<String> users(Ground ground) {
    return List.of("api", "worker", "scheduler").stream()
        .map(ground.stack().database()::user)
        .toList();
  }

  private static final String OF_USER =
      """
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = ANY (?)
      """;

  static void endAllOf(Ground ground, String user) throws SQLException {
    try (Connection admin = ground.stack().database().admin()) {
      end(admin, pids(admin, OF_USER, List.of(user)));
    }
  }

  private static List<Integer> pids(Connection admin, String which, List<String> users)
      throws SQLException {
    try (PreparedStatement statement = admin.prepareStatement(which)) {
      statement.setArray(1, admin.createArrayOf("text", users.toArray()));
      List<Integer> pids = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          pids.add(rows.getInt(1));
        }
      }
      return pids;
    }
  }

  private static void end(Connection admin, List<Integer> pids) throws SQLException {
    try (PreparedStatement statement = admin.prepareStatement(END)) {
      for (int pid : pids) {
        statement.setInt(1, pid);
        statement.executeQuery().close();
      }
    }
  }
}
