package io.jobscheduler.scheduler.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Counts the statements that the scheduler's role runs in a database, by pg_stat_statements. */
public final class StatementCount implements AutoCloseable {
  /** A round lasts two seconds at most and is not the third in a row. */
  private static final int WINDOWS = 4;

  /** What a round of retention begins and ends with. */
  private static final List<String> RETENTION = List.of("ensure_partitions", "sweep_notes");

  private final Connection admin;

  /** Makes the extension in the test's database. */
  public StatementCount(TestDatabase database) throws SQLException {
    admin = database.superuser();
    try (Statement statement = admin.createStatement()) {
      statement.execute("CREATE EXTENSION pg_stat_statements");
    }
  }

  /**
   * Counts for about five seconds, as long as the leader rests between two looks for due jobs. The
   * one statement of a standby is its try for the lock. Counts anew when the window met a round of
   * retention: it comes once an hour, and once more when the first one of a term was cut short.
   */
  public void assertAtMostPerSecond(int leader, int standby) throws Exception {
    List<Line> lines;
    double seconds;
    int windows = 0;
    do {
      reset();
      long start = System.nanoTime();
      Await.until(
          "five seconds",
          Duration.ofSeconds(10),
          () -> System.nanoTime() - start > Duration.ofSeconds(5).toNanos());
      lines = lines();
      seconds = (System.nanoTime() - start) / 1e9;
    } while (lines.stream().anyMatch(StatementCount::isOfRetention) && ++windows < WINDOWS);
    long tries = 0;
    long others = 0;
    for (Line line : lines) {
      if (line.query().contains("pg_try_advisory_lock")) {
        tries += line.calls();
      } else {
        others += line.calls();
      }
    }
    String listing =
        String.join("\n", lines.stream().map(l -> l.calls() + " " + l.query()).toList());
    // One more where the window begins and ends just beside a beat.
    assertTrue(tries <= standby * seconds + 1, listing);
    assertTrue(others <= leader * seconds, listing);
    assertTrue(tries > 0 && others > 0, listing);
  }

  private static boolean isOfRetention(Line line) {
    return RETENTION.stream().anyMatch(line.query()::contains);
  }

  private void reset() throws SQLException {
    try (Statement statement = admin.createStatement()) {
      statement.execute("SELECT pg_stat_statements_reset()");
    }
  }

  private record Line(long calls, String query) {}

  private List<Line> lines() throws SQLException {
    List<Line> lines = new ArrayList<>();
    try (Statement statement = admin.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT s.calls, s.query FROM pg_stat_statements s"
                    + " WHERE s.userid = 'jobs_scheduler'::regrole AND s.dbid ="
                    + " (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())"
                    + " ORDER BY s.calls DESC")) {
      while (rows.next()) {
        lines.add(new Line(rows.getLong("calls"), rows.getString("query")));
      }
    }
    return lines;
  }

  @Override
  public void close() throws SQLException {
    admin.close();
  }
}
