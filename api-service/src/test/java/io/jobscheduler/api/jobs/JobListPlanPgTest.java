package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No list reads a table of jobs as a whole, whatever it is asked for. */
class JobListPlanPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private static JobFilter all() {
    return JobFilter.of(List.of(), null, null, null);
  }

  private static JobSearch search(String tag, Long worker, String path) {
    return new JobSearch(
        tag,
        worker,
        null,
        null,
        path == null ? List.of() : List.of(new JobSearch.PayloadMatch(path, "1")));
  }

  /**
   * Rows of both tables that the last list read by its scans; a statement that read a table by
   * anything but an index counts as a million.
   */
  private long rowsRead() {
    return Long.parseLong(
        String.valueOf(
            database.sql(
                """
                SELECT (SELECT sum(seq_scan) * 1000000 + sum(coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables
                         WHERE relname ~ '^(jobs|finished_jobs.*)$')
                """)));
  }

  /** A session hands in its statistics before it is gone. */
  private void awaitEndOfSessions() {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!"0"
            .equals(
                database.sql(
                    """
                    SELECT count(*) FROM pg_stat_activity, pg_sleep(0.02)
                     WHERE datname = current_database() AND usename = '%s'
                    """
                        .formatted(Role.API.databaseName())))
        && System.nanoTime() < deadline) {}
  }

  /**
   * With 20,000 ended and 20,000 live jobs, a planner that has never counted them, and scans
   * bounded to 500 rows, no filter reads more than a few times that bound.
   */
  @Test
  void everyFilterIsBoundedAndUsesAnIndex() throws SQLException {
    int project = TestProjects.create(database, "p");
    database.sql("SELECT ensure_partitions()");
    database.sql(
        """
        INSERT INTO finished_jobs (id, lease_token, worker_id, created_at, finished_at, retain_until, project_id,
            queue_id, attempt, max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents,
            state, type, error_kind, error_fingerprint, schedule_id, workflow_id, payload)
        SELECT n, n, n %% 7, now(), now(), retention_bound(retention_today(), n %% 25), %1$d, 1, 1, 1, 0, 0, 4, false,
               false, CASE WHEN n %% 2 = 0 THEN 'succeeded' ELSE 'dead' END, 't', 'boom',
               CASE WHEN n %% 2 = 1 THEN 'f' || n %% 400 END, n %% 50, n %% 1000, '{"a":2}'
          FROM generate_series(1, 20000) n
        """
            .formatted(project));
    database.sql(
        """
        INSERT INTO jobs (id, dispatch_key, project_id, queue_id, state, type, schedule_id, workflow_id, payload)
        SELECT n, 0, %1$d, 1, 'ready', 't', n %% 50, n %% 1000, '{"a":2}' FROM generate_series(20001, 40000) n
        """
            .formatted(project));
    Jdbi jdbi = TestProjects.api(database);
    JobLists lists =
        new JobLists(
            jdbi,
            new JobListStore(),
            new MemberListStore(),
            new JobSearchStore(),
            new JobStore(jdbi),
            new EnqueueStore(jdbi));
    Map<String, JobFilter> filters = new LinkedHashMap<>();
    filters.put("none", all());
    filters.put("state", JobFilter.of(List.of("dead"), null, null, null));
    filters.put("queue", JobFilter.of(List.of(), "default", null, null));
    filters.put("type", JobFilter.of(List.of(), null, "absent", null));
    filters.put("workflow", JobFilter.of(List.of(), null, null, "7"));
    filters.put("error", all().ofError("f7"));
    filters.put("tag", all().matching(search("vip", null, null)));
    filters.put("worker", all().matching(search(null, 99L, null)));
    filters.put("payload", all().matching(search(null, null, "a")));
    List<String> unbounded = new ArrayList<>();
    for (Map.Entry<String, JobFilter> filter : filters.entrySet()) {
      try (Connection admin = database.superuser();
          Statement statement = admin.createStatement()) {
        statement.execute("SELECT pg_stat_reset()");
      }
      lists.list(project, filter.getValue(), Long.MAX_VALUE, 10, 500);
      awaitEndOfSessions();
      long rows = rowsRead();
      if (rows > 10_000) {
        unbounded.add(filter.getKey() + " " + rows);
      }
    }
    assertEquals(List.of(), unbounded);
  }
}
