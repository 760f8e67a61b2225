package io.jobscheduler.benchmarks.system;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.client.ApiClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * How long after its instant a job starts on an idle system: jobs due at a time, and retries after
 * their backoff, one after the other. From the database's record: the start of the attempt less the
 * instant at which the job was due.
 *
 * <p>Usage: {@code StartLatency [jobs of each kind] [milliseconds between two instants]}; 300 and
 * 100 unless given, which take about 75 s.
 */
public final class StartLatency {
  private static final Duration LEAD = Duration.ofSeconds(8);
  private static final Duration BACKOFF = Duration.ofSeconds(3);

  private StartLatency() {}

  /** Runs it and prints the figures. */
  public static void main(String[] args) throws SQLException {
    int jobs = args.length > 0 ? Integer.parseInt(args[0]) : 300;
    Duration gap = Duration.ofMillis(args.length > 1 ? Long.parseLong(args[1]) : 100);
    Path folder = Path.of("target", "start-latency").toAbsolutePath();
    try (LocalStack stack = LocalStack.builder(folder).progress(System.out::println).build()) {
      stack.start();
      ApiClient api = stack.admin();
      System.out.printf("%d jobs of each kind, %d ms apart%n", jobs, gap.toMillis());
      measure(stack, api, "due job", "echo", jobs, gap);
      measure(stack, api, "retry", "fail-n-times", jobs, gap);
    }
  }

  private static void measure(
      LocalStack stack, ApiClient api, String what, String type, int jobs, Duration gap)
      throws SQLException {
    Instant first = Instant.now().plus(LEAD);
    List<Map<String, Object>> bodies = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      bodies.add(
          Map.of(
              "type",
              type,
              "runAt",
              first.plus(gap.multipliedBy(i)).toString(),
              "payload",
              Map.of("times", 1),
              "retry",
              Map.of("strategy", "fixed", "base", BACKOFF.toString())));
    }
    api.post("/projects/default/jobs/bulk", bodies).success();
    Duration limit = LEAD.plus(gap.multipliedBy(jobs)).plus(BACKOFF).plusSeconds(60);
    try (Connection connection = stack.superuser();
        Statement statement = connection.createStatement()) {
      long deadline = System.nanoTime() + limit.toNanos();
      while (finished(statement, type) < jobs) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(stack.logTails(40));
        }
        LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
      }
      report(statement, what, type);
    }
  }

  private static int finished(Statement statement, String type) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*) FROM jobs.finished_jobs WHERE state = 'succeeded' AND type = '"
                + type
                + "'")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void report(Statement statement, String what, String type) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY l.ms),"
                + " percentile_disc(0.99) WITHIN GROUP (ORDER BY l.ms), max(l.ms), min(l.ms),"
                + " split_part(version(), ' ', 2)"
                + " FROM (SELECT extract(epoch FROM started_at - run_at) * 1000 AS ms"
                + " FROM jobs.finished_jobs WHERE state = 'succeeded' AND type = '"
                + type
                + "') l")) {
      row.next();
      System.out.printf(
          "%s: n=%d p50=%.1f ms p99=%.1f ms max=%.1f ms min=%.1f ms (PostgreSQL %s, Java %s, %d"
              + " processors)%n",
          what,
          row.getInt(1),
          row.getDouble(2),
          row.getDouble(3),
          row.getDouble(4),
          row.getDouble(5),
          row.getString(6),
          Runtime.version().feature(),
          Runtime.getRuntime().availableProcessors());
    }
  }
}
