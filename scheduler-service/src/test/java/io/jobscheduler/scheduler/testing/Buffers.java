package io.jobscheduler.scheduler.testing;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the buffers that a statement touches, and undoes what it did. */
public final class Buffers {
  private static final Pattern HIT_OR_READ = Pattern.compile("(?:hit|read)=(\\d+)");

  private Buffers() {}

  /** Buffers hit or read by the statement, under the scheduler's role. */
  public static long of(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connect(Role.SCHEDULER);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      // Once before, so that what the session learns of its tables is not counted.
      statement.execute(sql);
      connection.rollback();
      try (ResultSet plan =
          statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) " + sql)) {
        while (plan.next()) {
          String line = plan.getString(1);
          if (line.contains("Buffers:")) {
            Matcher numbers = HIT_OR_READ.matcher(line);
            long sum = 0;
            while (numbers.find()) {
              sum += Long.parseLong(numbers.group(1));
            }
            return sum;
          }
        }
      } finally {
        connection.rollback();
      }
    }
    throw new AssertionError("the plan shows no buffers");
  }
}
