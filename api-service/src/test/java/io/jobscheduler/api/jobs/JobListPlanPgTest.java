package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * No list reads the tables of jobs as a whole, whatever it is asked for. Filters that have an index
 * read what the page and its capped count need; the others read up to a bound, and say so.
 */
class JobListPlanPgTest {
  private static final int ENDED_STATES = 4;
  private static final int KINDS = 1 + ENDED_STATES;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private int project;

  private static JobFilter all() {
    return JobFilter.of(List.of(), null, null, null);
  }

  private static JobFilter search(
      @Nullable String tag, @Nullable Long worker, @Nullable String value) {
    return all()
        .matching(
            new JobSearch(
                tag,
                worker,
                null,
                null,
                value == null ? List.of() : List.of(new JobSearch.PayloadMatch("a", value))));
  }

  /** Filters that lead by an index. */
  private static Map<String, JobFilter> indexed() {
    Map<String, JobFilter> filters = new LinkedHashMap<>();
    filters.put("none", all());
    filters.put("state=dead", JobFilter.of(List.of("dead"), null, null, null));
    filters.put("state=retrying", JobFilter.of(List.of("retrying"), null, null, null));
    filters.put("state=ready,skipped", JobFilter.of(List.of("ready,skipped"), null, null, null));
    filters.put("workflow", JobFilter.of(List.of(), null, null, "8"));
    filters.put("schedule", all().ofSchedule("s"));
    filters.put("error", all().ofError("f5"));
    filters.put("queue", JobFilter.of(List.of(), "default", null, null));
    filters.put(
        "queue + payload.<declared>",
        JobFilter.of(List.of(), "declared", null, null)
            .matching(search(null, null, "100").search()));
    return filters;
  }

  /** Filters that nothing fits, and that no index serves: they look at all they may. */
  private static Map<String, JobFilter> bounded() {
    Map<String, JobFilter> filters = new LinkedHashMap<>();
    filters.put("queue (rare)", JobFilter.of(List.of(), "empty", null, null));
    filters.put("type", JobFilter.of(List.of(), null, "absent", null));
    filters.put("tag", search("vip", null, null));
    filters.put("worker", search(null, 99L, null));
    filters.put("payload.<path>", search(null, null, "none"));
    Instant long_ago = Instant.parse("2001-01-01T00:00:00Z");
    filters.put(
        "createdBefore", all().matching(new JobSearch(null, null, null, long_ago, List.of())));
    Instant far = Instant.parse("2999-01-01T00:00:00Z");
    filters.put("createdAfter", all().matching(new JobSearch(null, null, far, null, List.of())));
    return filters;
  }

  /**
   * Entries that indexes have given since the last reset; a statement that read a table by anything
   * else counts as a billion.
   */
  private long entriesRead() {
    return Long.parseLong(
        String.valueOf(
            database.sql(
                """
                SELECT (SELECT sum(seq_scan) * 1000000000 FROM pg_stat_user_tables
                         WHERE relname ~ '^(jobs|finished_jobs.*|search_terms)$')
                     + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes
                         WHERE relname ~ '^(jobs|finished_jobs.*|search_terms)$')
                """)));
  }

  private String buffers() {
    return String.valueOf(
        database.sql(
            """
            SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
                       + coalesce(toast_blks_hit + toast_blks_read, 0))
              FROM pg_statio_user_tables WHERE relname ~ '^(jobs|finished_jobs.*|search_terms)$'
            """));
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

  /** Nine tenths have ended; a planner that has never counted them. */
  private void fill(int rows) {
    project = TestProjects.create(database, "p");
    database.sql("SELECT ensure_partitions()");
    database.sql(
        """
        INSERT INTO queues (project_id, name) VALUES (%1$d, 'declared'), (%1$d, 'empty');
        SELECT set_search_paths(q.id, '{a}') FROM queues q WHERE q.name = 'declared';
        INSERT INTO schedules (project_id, name, kind, expression, dialect, template, job_type, queue_id, next_fire_at)
        SELECT %1$d, 's', 'cron', '0 3 * * *', 'unix', 'job', 't', 1, now();
        ALTER TABLE jobs SET (autovacuum_enabled = off)
        """
            .formatted(project));
    int ended = rows / 10 * 9;
    database.sql(
        """
        INSERT INTO finished_jobs (id, lease_token, worker_id, created_at, finished_at, retain_until, project_id,
            queue_id, attempt, max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents,
            state, type, error_kind, error_fingerprint, schedule_id, workflow_id, payload)
        SELECT n, n, n %% 7, now(), now(), retention_bound(retention_today(), n %% 25), %1$d,
               CASE WHEN n %% 100 = 0 THEN 2 ELSE 1 END, 1, 1, 0, 0, 4, false, false,
               ('{succeeded,dead,cancelled,skipped}'::text[])[1 + n %% 4], 't', 'boom',
               CASE WHEN n %% 4 = 1 THEN 'f' || n %% 400 END, CASE WHEN n %% 50 = 0 THEN 1 END,
               CASE WHEN n %% 8 = 0 THEN n %% %3$d END, ('{"a":' || n %% 1000 || '}')::json
          FROM generate_series(1, %2$d) n;
        SELECT setval('job_id_seq', %2$d + 1);
        INSERT INTO search_terms (queue_id, term, job_id)
        SELECT 2, search_term('a', (n %% 1000)::text), n FROM generate_series(100, %2$d, 100) n;
        UPDATE queues SET search_since = '{0}' WHERE name = 'declared';
        INSERT INTO jobs (id, dispatch_key, project_id, queue_id, state, type, schedule_id, workflow_id, payload,
            run_at)
        SELECT n, 0, %1$d, CASE WHEN n %% 100 = 0 THEN 2 ELSE 1 END,
               CASE WHEN n %% 2000 = 0 THEN 'retrying' ELSE 'ready' END, 't', CASE WHEN n %% 50 = 0 THEN 1 END,
               CASE WHEN n %% 8 = 0 THEN n %% %3$d END, '{"a":2}', now()
          FROM generate_series(%2$d + 2, %4$d) n
        """
            .formatted(project, ended, rows / 100, rows));
  }

  private void judge(int rows, int scanned) throws SQLException {
    fill(rows);
    judge(scanned);
    // What they know must not mislead it either.
    database.sql("ANALYZE finished_jobs; ANALYZE jobs; ANALYZE search_terms");
    judge(scanned);
  }

  private void judge(int scanned) {
    // What a page and its count, which stops past the cap, take of each kind, with what stands
    // beside.
    long mostIndexed = KINDS * (10_001 + 2_000);
    // The look itself, the first row beyond it, and a look at an empty kind.
    long mostBounded = KINDS * (3L * scanned + 2_000);
    List<String> unbounded = new ArrayList<>();
    indexed().forEach((name, filter) -> judge(name, filter, scanned, mostIndexed, unbounded));
    bounded().forEach((name, filter) -> judge(name, filter, scanned, mostBounded, unbounded));
    assertEquals(List.of(), unbounded);
  }

  private void judge(
      String name, JobFilter filter, int scanned, long most, List<String> unbounded) {
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("SELECT pg_stat_reset()");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    JobLists lists = TestJobLists.over(TestProjects.api(database));
    long begun = System.nanoTime();
    JobLists.JobPage page = lists.list(project, filter, Long.MAX_VALUE, 50, scanned);
    long millis = (System.nanoTime() - begun) / 1_000_000;
    awaitEndOfSessions();
    long read = entriesRead();
    System.out.printf(
        "%s: items=%d partial=%b entries=%d buffers=%s ms=%d%n",
        name, page.items().size(), page.partial(), read, buffers(), millis);
    if (read > most) {
      unbounded.add(name + " read " + read + " of at most " + most);
    }
    // Nothing fits the others.
    if (bounded().containsKey(name) ? !page.partial() : page.items().isEmpty()) {
      unbounded.add(name + " does not say that it is partial, or found nothing");
    }
  }

  @Test
  void everyFilterHasAnIndexOrABound() throws SQLException {
    judge(200_000, 1_000);
  }

  /** As many rows as a large installation holds, and the bound that is delivered. */
  @Test
  @Tag("long")
  void everyFilterHasAnIndexOrABoundOnFiveMillionRows() throws SQLException {
    judge(5_000_000, JobListStore.SCANNED);
  }
}
