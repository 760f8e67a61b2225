package io.jobscheduler.benchmarks.system;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Millions of finished jobs whose day has passed, each with an attempt, while 200 jobs a second go
 * through and every statement is ended after 2 s: how long until they are gone, what the live jobs
 * feel, and whether the next leader goes on when the first is killed half-way.
 *
 * <p>Usage: {@code RetentionLoad [days|default] [jobs, in thousands] [seconds at most]}; days, 3000
 * and 1800 unless given. With {@code days} they lie in the partitions of 30 days, as they do when a
 * leader was away that long; with {@code default} in the default partition, as when none made
 * partitions either, and go in batches.
 */
public final class RetentionLoad {
  private static final int DAYS = 30;
  private static final Duration LINE = Duration.ofSeconds(10);

  private RetentionLoad() {}

  /** Runs it and prints the figures. */
  public static void main(String[] args) throws IOException, SQLException {
    boolean days = args.length == 0 || args[0].equals("days");
    int jobs = 1000 * (args.length > 1 ? Integer.parseInt(args[1]) : 3000);
    Duration limit = Duration.ofSeconds(args.length > 2 ? Long.parseLong(args[2]) : 1800);
    Path folder = Application.newFolder("retention-load");
    try (LocalStack stack =
        LocalStack.builder(folder)
            .services(Service.API, Service.WORKER)
            .postgres("statement_timeout", "2000")
            .postgres("max_wal_size", "4GB")
            .with(Service.SCHEDULER, "JOBS_SCHEDULER_LEADERSHIP_STATEMENT_LIMIT", "PT2S")
            .progress(System.out::println)
            .build()) {
      stack.start();
      Application.allow(stack);
      fill(stack, days, jobs);
      try (Application application = Application.start(stack, 200);
          Connection watcher = stack.superuser();
          Statement statement = watcher.createStatement()) {
        statement.execute("SET statement_timeout = 0");
        Application.watch(watcher, "before", LINE.multipliedBy(3));
        ServiceProcess leader = stack.startAnother(Service.SCHEDULER, Map.of());
        stack.launch(Service.SCHEDULER, Map.of());
        watchThemGo(statement, leader, limit);
        Application.watch(watcher, "after", LINE.multipliedBy(3));
      }
    }
  }

  // Rows as a job leaves them that failed once.
  private static final String FILL =
      """
      DO $$
      DECLARE d int;
      BEGIN
        FOR d IN 1..%1$d LOOP
          IF %2$b THEN
            EXECUTE format('CREATE TABLE jobs.finished_jobs_%%1$s PARTITION OF jobs.finished_jobs FOR VALUES IN (%%2$L)',
                           to_char(current_date - d - 1, 'YYYYMMDD'), current_date - d - 1);
            EXECUTE format('CREATE TABLE jobs.finished_attempts_%%1$s PARTITION OF jobs.finished_attempts'
                           ' FOR VALUES IN (%%2$L)', to_char(current_date - d - 1, 'YYYYMMDD'), current_date - d - 1);
          END IF;
          WITH j AS (
            INSERT INTO jobs.finished_jobs (id, lease_token, worker_id, created_at, run_at, ready_at, started_at,
                   finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows, returned,
                   priority, has_dependencies, has_dependents, state, type, payload)
            SELECT nextval('jobs.job_id_seq'), 2 * i, 1, t, t, t, t, t, current_date - d - 1, 1, 1, 2, 5, 1, 0, 4,
                   false, false, 'succeeded', 'echo', '{"order":4711,"customer":"somebody"}'
              FROM generate_series(1, %3$d) AS s (i), (SELECT now() - (d + 8) * interval '1 day' AS t) u
            RETURNING id, lease_token, worker_id, started_at, retain_until)
          INSERT INTO jobs.finished_attempts (job_id, lease_token, worker_id, started_at, ended_at, retain_until,
                 attempt, outcome, error_kind, error_message)
          SELECT id, lease_token - 1, worker_id, started_at, started_at, retain_until, 1, 'failed', 'io', 'refused'
            FROM j;
        END LOOP;
      END $$
      """;

  private static void fill(LocalStack stack, boolean days, int jobs) throws SQLException {
    long start = System.nanoTime();
    try (Connection owner = stack.connect("owner");
        Statement statement = owner.createStatement()) {
      statement.execute("SET statement_timeout = 0");
      statement.execute(FILL.formatted(DAYS, days, jobs / DAYS));
      statement.execute("ANALYZE jobs.finished_jobs");
    }
    System.out.printf(
        Locale.ROOT, "%d jobs and as many attempts were put there in %d s%n", jobs, since(start));
  }

  private static long since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toSeconds();
  }

  // Pages, not rows: a count would take longer than the drops.
  private static final String LEFT =
      """
      SELECT coalesce(sum(s.n_live_tup), 0)::bigint, coalesce(sum(pg_relation_size(s.relid)), 0) / 1048576
        FROM pg_stat_user_tables s
       WHERE s.schemaname = 'jobs'
         AND CASE WHEN s.relname ~ '^finished_jobs_\\d{8}$'
                  THEN to_date(right(s.relname, 8), 'YYYYMMDD') < current_date - 1
                  ELSE s.relname = 'finished_jobs_default' END
      """;

  /** Prints a line each ten seconds; kills the leader at half of the rows. */
  private static void watchThemGo(Statement statement, ServiceProcess leader, Duration limit)
      throws SQLException {
    long start = System.nanoTime();
    long first = left(statement)[0];
    boolean killed = false;
    Instant from = Instant.now();
    long[] left = {first, 0};
    while (left[0] > 0 && System.nanoTime() - start < limit.toNanos()) {
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
      left = left(statement);
      if (!killed && left[0] <= first / 2) {
        leader.kill9();
        killed = true;
        System.out.printf(
            Locale.ROOT, "the leader was killed after %d s, %d rows left%n", since(start), left[0]);
      }
      if (Duration.between(from, Instant.now()).compareTo(LINE) >= 0) {
        Instant to = Instant.now();
        System.out.printf(Locale.ROOT, "%d rows left, %d MiB%n", left[0], left[1]);
        Application.report(statement.getConnection(), "during", from, to);
        from = to;
      }
    }
    System.out.printf(Locale.ROOT, "%d rows left after %d s%n", left[0], since(start));
    Application.report(statement.getConnection(), "during", from, Instant.now());
  }

  private static long[] left(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(LEFT)) {
      row.next();
      return new long[] {row.getLong(1), row.getLong(2)};
    }
  }
}
