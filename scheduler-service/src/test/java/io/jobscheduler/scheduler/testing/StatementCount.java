package io.jobscheduler.scheduler.testing;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Counts the statements that the scheduler's role runs in a database, by pg_stat_statements. */
public final class StatementCount implements AutoCloseable {
  private final Connection admin;

  /** Makes the extension in the test's database. */
  public StatementCount(TestDatabase database) throws SQLException {
    admin = database.superuser();
    try (Statement statement = admin.createStatement()) {
      statement.execute("CREATE EXTENSION pg_stat_statements");
    }
  }

  /** So many statements were executed until now. */
  public long now() throws SQLException {
    long calls = 0;
    for (Line line : lines()) {
      calls += line.calls();
    }
    return calls;
  }

  /** What was executed, most often first, for a failure's message. */
  public String listing() throws SQLException {
    return String.join("\n", lines().stream().map(l -> l.calls() + " " + l.query()).toList());
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
