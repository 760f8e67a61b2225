package io.jobscheduler.benchmarks.system;

import io.jobscheduler.localstack.LocalStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * An application that hands in jobs by SQL under a role of its own: at a steady rate, each
 * twentieth of a second, on one thread, until it is closed.
 */
final class Application implements AutoCloseable {
  private static final String ROLE = "benchmark_client";
  private static final long STEP_NANOS = Duration.ofMillis(50).toNanos();

  private final Thread thread;
  private volatile boolean closed;

  private Application(LocalStack stack, int perSecond) {
    this.thread = new Thread(() -> run(stack, perSecond), "application");
  }

  /** A new folder for a stack, so that a run finds nothing of the one before. */
  static Path newFolder(String name) throws IOException {
    return Files.createTempDirectory(Path.of("target").toAbsolutePath(), name + "-");
  }

  /** Makes the role, and lets it enqueue into the project {@code default}. */
  static void allow(LocalStack stack) throws SQLException {
    try (Connection superuser = stack.superuser();
        Statement statement = superuser.createStatement()) {
      statement.execute("CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + ROLE + "'");
      statement.execute("SELECT jobs.allow_sql_client('" + ROLE + "', 'default')");
    }
  }

  /** A connection of the role. */
  static Connection connect(LocalStack stack) throws SQLException {
    return DriverManager.getConnection(stack.database().url(), ROLE, ROLE);
  }

  /** Begins to hand in {@code perSecond} jobs of the type {@code echo}. */
  static Application start(LocalStack stack, int perSecond) {
    Application application = new Application(stack, perSecond);
    application.thread.start();
    return application;
  }

  private static final String ENQUEUE =
      "SELECT count(*) FROM jobs.enqueue_jobs('default', array_fill('echo'::text, ARRAY[?]))";

  private void run(LocalStack stack, int perSecond) {
    try (Connection connection = connect(stack);
        PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
      long start = System.nanoTime();
      long handed = 0;
      while (!closed) {
        long due = perSecond * (System.nanoTime() - start) / 1_000_000_000L - handed;
        if (due > 0) {
          statement.setInt(1, (int) due);
          statement.execute();
          handed += due;
        }
        LockSupport.parkNanos(STEP_NANOS);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Of jobs that were ready at once, from their being handed in to the start of their attempt.
  private static final String FIGURES =
      """
      SELECT count(*), coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY l.ms), 0),
             coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY l.ms), 0), coalesce(max(l.ms), 0),
             (SELECT count(*) FROM jobs.jobs),
             (SELECT s.n_dead_tup FROM pg_stat_user_tables s WHERE s.relid = 'jobs.jobs'::regclass)
        FROM (SELECT extract(epoch FROM f.started_at - f.created_at) * 1000 AS ms
                FROM jobs.finished_jobs f
               WHERE f.retain_until > current_date
                 AND f.finished_at >= ? AND f.finished_at < ?) l
      """;

  /** Prints what was done between two instants, in one line. */
  static void report(Connection connection, String phase, Instant from, Instant to)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIGURES)) {
      statement.setObject(1, OffsetDateTime.ofInstant(from, ZoneOffset.UTC));
      statement.setObject(2, OffsetDateTime.ofInstant(to, ZoneOffset.UTC));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        System.out.printf(
            Locale.ROOT,
            "%-9s %6.1f jobs/s, started after p50 %.1f p99 %.1f max %.1f ms, %d live, %d dead"
                + " rows%n",
            phase,
            row.getLong(1) * 1e3 / Duration.between(from, to).toMillis(),
            row.getDouble(2),
            row.getDouble(3),
            row.getDouble(4),
            row.getLong(5),
            row.getLong(6));
      }
    }
  }

  /** Waits for {@code length}, then prints what was done meanwhile. */
  static void watch(Connection connection, String phase, Duration length) throws SQLException {
    Instant from = Instant.now();
    long end = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    report(connection, phase, from, Instant.now());
  }
}
