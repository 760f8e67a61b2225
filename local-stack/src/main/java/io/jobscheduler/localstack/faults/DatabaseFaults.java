package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.postgres.Roles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What happens to the database as a whole; one of these at a time. */
final class DatabaseFaults {
  private static final int MOST_CONNECTIONS = 400;
  private static final int ROUNDS = 4;

  private DatabaseFaults() {}

  /** Breaks the database and returns what undoes it. */
  private interface Break {
    Breakage of() throws Exception;
  }

  private static Optional<Breakage> alone(Ground ground, Break how) throws Exception {
    if (!ground.holdDatabase()) {
      return Optional.empty();
    }
    boolean broken = false;
    try {
      Breakage breakage = how.of();
      broken = true;
      return Optional.of(breakage.then(ground::releaseDatabase));
    } finally {
      if (!broken) {
        ground.releaseDatabase();
      }
    }
  }

  /** {@code pg_ctl restart -m immediate}: back at once, after the recovery from a crash. */
  static Optional<Breakage> restart(Ground ground, long choice) throws Exception {
    return alone(
        ground,
        () -> {
          Instant from = Instant.now();
          ground.stack().postgres().restartImmediately();
          try (Connection admin = ground.stack().database().admin()) {
            Instant up = instant(admin, "SELECT pg_postmaster_start_time()");
            return new Breakage(
                "server", new NextStart(ground.stack().database(), from, up), () -> {});
          }
        });
  }

  /** Every connection that the server allows is taken, and the services' sessions are ended. */
  static Optional<Breakage> connectionsTaken(Ground ground, long choice) throws Exception {
    return alone(
        ground,
        () -> {
          List<Connection> taken = new ArrayList<>();
          try {
            // What came back meanwhile goes as well, and finds no place any more.
            for (int i = 0; i < ROUNDS; i++) {
              endAll(ground);
              takeAll(ground, taken);
            }
          } catch (SQLException e) {
            closeAll(taken);
            throw e;
          }
          return new Breakage("server", next(ground), () -> closeAll(taken));
        });
  }

  private static void takeAll(Ground ground, List<Connection> taken) throws SQLException {
    try {
      while (taken.size() < MOST_CONNECTIONS) {
        taken.add(ground.stack().connect(Roles.OWNER));
      }
    } catch (SQLException e) {
      // 53300: there are no more, which is what was wanted.
      if (!"53300".equals(e.getSQLState())) {
        throw e;
      }
    }
  }

  private static void closeAll(List<Connection> taken) {
    for (Connection connection : taken) {
      try {
        connection.close();
      } catch (SQLException ended) {
        // The server was quicker.
      }
    }
  }

  private static final String END_ALL =
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
       WHERE datname = current_database() AND usename = ANY (?) AND pid <> pg_backend_pid()
      """;

  private static void endAll(Ground ground) throws SQLException {
    List<String> services = List.of("api", "worker", "scheduler", "dashboard");
    try (Connection admin = ground.stack().database().admin();
        var statement = admin.prepareStatement(END_ALL)) {
      Object[] users = services.stream().map(ground.stack().database()::user).toArray();
      statement.setArray(1, admin.createArrayOf("text", users));
      statement.executeQuery().close();
    }
  }

  /** The role of one service gets two connections at most, and its sessions are ended. */
  static Optional<Breakage> connectionLimit(Ground ground, long choice) throws Exception {
    List<String> roles = List.of("worker", "scheduler", "api");
    String user = ground.stack().database().user(roles.get((int) Math.floorMod(choice, 3L)));
    return alone(
        ground,
        () -> {
          limit(ground, user, 2);
          SessionFaults.endAllOf(ground, user);
          return new Breakage("role " + user, null, () -> limit(ground, user, -1));
        });
  }

  private static void limit(Ground ground, String user, int connections) throws SQLException {
    try (Connection admin = ground.stack().database().admin();
        Statement statement = admin.createStatement()) {
      statement.execute("ALTER ROLE " + user + " CONNECTION LIMIT " + connections);
    }
  }

  /** A hot table is locked against everybody. */
  static Optional<Breakage> tableLocked(Ground ground, long choice) throws Exception {
    List<String> tables = List.of("jobs.jobs", "jobs.workers", "jobs.queues", "jobs.leadership");
    String table = tables.get((int) Math.floorMod(choice, (long) tables.size()));
    return alone(
        ground,
        () -> {
          Connection admin = ground.stack().database().admin();
          try (Statement statement = admin.createStatement()) {
            admin.setAutoCommit(false);
            statement.execute("SET LOCAL lock_timeout = '3s'");
            statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
          } catch (SQLException e) {
            admin.close();
            throw e;
          }
          return new Breakage(table, null, () -> closeAll(List.of(admin)));
        });
  }

  /** PgBouncer dies; who uses it waits until it is back. */
  static Optional<Breakage> poolerKilled(Ground ground, long choice) throws Exception {
    Optional<Pooler> pooler = ground.pooler();
    if (pooler.isEmpty()) {
      return Optional.empty();
    }
    return alone(
        ground,
        () -> {
          pooler.get().kill9();
          return new Breakage("pgbouncer", null, pooler.get()::start);
        });
  }

  private static NextStart next(Ground ground) {
    Instant now = Instant.now();
    return new NextStart(ground.stack().database(), now, now);
  }

  private static Instant instant(Connection admin, String sql) throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return Objects.requireNonNull(row.getTimestamp(1)).toInstant();
    }
  }
}
