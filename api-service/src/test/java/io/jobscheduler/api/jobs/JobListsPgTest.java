package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobListsPgTest {
  private static final JobFilter ALL = JobFilter.of(List.of(), null, null, null);

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private JobLists lists;
  private EnqueueStore enqueue;
  private int project;

  @BeforeEach
  void open() {
    Jdbi jdbi = TestProjects.api(database);
    enqueue = new EnqueueStore(jdbi);
    lists = TestJobLists.over(jdbi);
    project = TestProjects.create(database, "p");
  }

  private void enqueue(int count, String type) {
    enqueue.enqueueJobs(project, TestProjects.jobs(count, type)).orElseThrow();
  }

  /** Ends a live job as the settle does: out of one table, into the other. */
  private void finish(String where, String state) {
    database.sql(
        "WITH gone AS (DELETE FROM jobs WHERE "
            + where
            + " RETURNING id, created_at, project_id, queue_id, attempt, max_attempts, attempt_rows,"
            + " returned, priority, has_dependencies, has_dependents, type)"
            + " INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id,"
            + " queue_id, attempt, max_attempts, attempt_rows, returned, priority, has_dependencies,"
            + " has_dependents, state, type)"
            + " SELECT id, created_at, clock_timestamp(), current_date + (id % 20)::int, project_id,"
            + " queue_id, attempt, max_attempts, attempt_rows, returned, priority, has_dependencies,"
            + " has_dependents, '"
            + state
            + "', type FROM gone");
  }

  private List<Long> pages(JobFilter filter, int limit, int scanned, IntConsumer between) {
    List<Long> seen = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      JobLists.JobPage page =
          lists.list(project, filter, Cursor.number(cursor, Long.MAX_VALUE), limit, scanned);
      page.items().forEach(j -> seen.add(Long.parseLong(j.id())));
      cursor = page.nextCursor();
      between.accept(++pages);
    } while (cursor != null);
    return seen;
  }

  private static List<Long> descending(long from, long to) {
    return LongStream.iterate(from, i -> i >= to, i -> i - 1).boxed().toList();
  }

  @Test
  void mergesBothTablesNewestFirst() {
    enqueue(30, "t");
    finish("id % 3 = 0", "succeeded");
    finish("id % 5 = 0", "dead");
    assertEquals(descending(30, 1), pages(ALL, 7, JobListStore.SCANNED, p -> {}));
    JobLists.JobPage page = lists.list(project, ALL, Long.MAX_VALUE, 30);
    assertNull(page.nextCursor(), "the last page is known to be the last");
    assertEquals(new Count(30, false), page.count());
    assertFalse(page.partial());
  }

  @Test
  void pagesAreStableWhileRowsMoveAndCome() {
    enqueue(40, "t");
    List<Long> seen =
        pages(
            ALL,
            6,
            JobListStore.SCANNED,
            page -> {
              enqueue(3, "new");
              finish("id % 4 = " + page % 4, "succeeded");
            });
    assertEquals(descending(40, 1), seen);
  }

  @Test
  void filtersByStateQueueAndType() {
    enqueue(6, "a");
    enqueue(6, "b");
    database.sql("INSERT INTO queues (project_id, name) VALUES (" + project + ", 'mail')");
    enqueue
        .enqueueJobs(
            project,
            List.of(new JobRequest("a", "mail", null, 4, null, null, 20, null, JobOptions.NONE)))
        .orElseThrow();
    finish("id IN (1, 7)", "dead");
    finish("id IN (2, 8)", "succeeded");
    assertEquals(
        List.of(7L, 1L), pages(JobFilter.of(List.of("dead"), null, null, null), 50, 100, p -> {}));
    assertEquals(
        List.of(8L, 7L, 2L, 1L),
        pages(JobFilter.of(List.of("dead,succeeded"), null, null, null), 50, 100, p -> {}));
    assertEquals(
        List.of(13L, 6L, 5L, 4L, 3L, 2L, 1L),
        pages(JobFilter.of(List.of(), null, "a", null), 2, 100, p -> {}));
    assertEquals(
        List.of(13L), pages(JobFilter.of(List.of("ready"), "mail", "a", null), 50, 100, p -> {}));
    assertEquals(List.of(), pages(JobFilter.of(List.of(), "absent", null, null), 50, 100, p -> {}));
    JobLists.JobPage page =
        lists.list(project, JobFilter.of(List.of("dead", "ready"), "default", "a", null), 100, 2);
    assertEquals(new Count(5, false), page.count());
  }

  @Test
  void findsRareStatesBehindALongBacklog() {
    enqueue(3, "t");
    database.sql(
        "UPDATE jobs SET state = 'running', lease_token = id, worker_id = 1 WHERE id = 1;"
            + " UPDATE jobs SET state = 'retrying', run_at = now() WHERE id = 2;"
            + " UPDATE jobs SET state = 'scheduled', run_at = now() WHERE id = 3");
    enqueue(200, "t");
    // With a scan of 10 rows they would not be found from the newest end.
    assertEquals(
        List.of(1L), pages(JobFilter.of(List.of("running"), null, null, null), 5, 10, p -> {}));
    assertEquals(
        List.of(3L, 2L, 1L),
        pages(
            JobFilter.of(List.of("running,retrying,scheduled"), null, "t", null), 2, 10, p -> {}));
  }

  @Test
  void aBoundedScanSaysSoAndGoesOnFromThere() {
    enqueue(50, "a");
    enqueue(50, "b");
    // Few ended ones: their scan reaches far below that of the live ones.
    finish("id % 10 = 0", "succeeded");
    JobFilter rare = JobFilter.of(List.of(), null, "a", null);
    JobLists.JobPage page = lists.list(project, rare, Long.MAX_VALUE, 10, 20);
    assertTrue(page.partial());
    assertEquals(List.of(), page.items(), "not 50, which comes after 49 and others unseen");
    assertNotNull(page.nextCursor());
    assertEquals(descending(50, 1), pages(rare, 10, 20, p -> {}), "nothing is left out or twice");
    assertEquals(descending(50, 1), pages(rare, 10, 7, p -> {}));
  }

  @Test
  void countsStopAtTheCap() {
    database.sql(
        "INSERT INTO jobs (dispatch_key, project_id, queue_id, state, type)"
            + " SELECT 0, "
            + project
            + ", (SELECT id FROM queues LIMIT 1), 'ready', 't' FROM generate_series(1, 10050)");
    assertEquals(new Count(10_000, true), lists.list(project, ALL, Long.MAX_VALUE, 1).count());
    assertEquals(
        new Count(10_000, true),
        lists.list(project, JobFilter.of(List.of(), null, "t", null), 9, 1).count());
    StatsStore.Counted stats = new StatsStore(TestProjects.api(database)).countByState(project);
    assertEquals(new Count(10_000, true), stats.counts().get("ready"));
    assertEquals(new Count(0, false), stats.counts().get("skipped"));
    assertEquals(9, stats.counts().size());
  }

  @Test
  void anotherProjectsJobsAreNotListed() {
    enqueue(3, "t");
    finish("id = 2", "dead");
    int other = TestProjects.create(database, "other");
    JobLists.JobPage page = lists.list(other, ALL, Long.MAX_VALUE, 50);
    assertEquals(List.of(), page.items());
    assertEquals(new Count(0, false), page.count());
    assertEquals(
        new Count(0, false),
        new StatsStore(TestProjects.api(database)).countByState(other).counts().get("dead"));
  }

  private JobFilter seeking(JobSearch search) {
    return ALL.matching(search);
  }

  @Test
  void looksForTagsWorkersTimesAndPayloadsInBothTables() {
    enqueue(8, "t");
    finish("id IN (2, 3, 6)", "succeeded");
    for (String table : List.of("jobs", "finished_jobs")) {
      database.sql(
          "UPDATE %s SET tags = ARRAY['vip', 'x'] WHERE id IN (1, 2, 5, 6)".formatted(table));
      database.sql(
          ("UPDATE %s SET payload = json_build_object('o', json_build_array(1, json_build_object('id',"
                  + " 'a' || id %% 2, 'n', NULL)))")
              .formatted(table));
      database.sql(
          "UPDATE %s SET created_at = '2026-01-01T00:00:00Z'::timestamptz + id * interval '1 h'"
              .formatted(table));
    }
    database.sql("UPDATE finished_jobs SET worker_id = 77 WHERE id IN (3, 6)");
    JobSearch tag = new JobSearch("vip", null, null, null, List.of());
    assertEquals(List.of(6L, 5L, 2L, 1L), pages(seeking(tag), 3, 100, p -> {}));
    assertEquals(List.of(6L, 5L, 2L, 1L), pages(seeking(tag), 1, 3, p -> {}), "bounded scans");
    assertEquals(
        List.of(6L, 3L),
        pages(seeking(new JobSearch(null, 77L, null, null, List.of())), 5, 100, p -> {}));
    assertEquals(
        List.of(4L, 3L),
        pages(
            seeking(
                new JobSearch(
                    null,
                    null,
                    Instant.parse("2026-01-01T03:00:00Z"),
                    Instant.parse("2026-01-01T05:00:00Z"),
                    List.of())),
            5,
            100,
            p -> {}));
    assertEquals(
        List.of(7L, 5L, 3L, 1L),
        pages(
            seeking(
                new JobSearch(
                    null,
                    null,
                    null,
                    null,
                    List.of(
                        new JobSearch.PayloadMatch("o.1.id", "a1"),
                        new JobSearch.PayloadMatch("o.0", "1"),
                        new JobSearch.PayloadMatch("o.1.n", "null")))),
            2,
            100,
            p -> {}));
    JobLists.JobPage page = lists.list(project, seeking(tag), Long.MAX_VALUE, 2, 3);
    assertTrue(page.partial(), "older rows were not looked at");
    assertTrue(page.count().capped());
  }

  /** As one over huge payloads; here it meets a lock that goes once it was stopped. */
  @Test
  void searchThatIsStoppedByItsTimeLooksAtFewerRowsAndSaysSo() throws SQLException {
    enqueue(150, "t");
    database.sql("UPDATE jobs SET tags = '{vip}'");
    try (Connection holder = database.superuser();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      // A search without a time ends too, so that this test does.
      statement.execute("SET idle_in_transaction_session_timeout = '20s'");
      statement.execute("LOCK TABLE jobs.jobs IN ACCESS EXCLUSIVE MODE");
      Jdbi jdbi = TestProjects.api(database);
      jdbi.setSqlLogger(
          new SqlLogger() {
            @Override
            public void logException(StatementContext context, SQLException failure) {
              try {
                holder.rollback();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            }
          });
      JobFilter absent = seeking(new JobSearch("absent", null, null, null, List.of()));
      JobLists.JobPage page =
          TestJobLists.over(jdbi)
              .list(project, absent, Long.MAX_VALUE, 10, 1_000, Duration.ofSeconds(1));
      assertTrue(page.partial());
      assertNotNull(page.nextCursor());
    }
  }

  @Test
  void fiftyHugeErrorsAreListedByTheirHeads() {
    enqueue(50, "t");
    finish("true", "dead");
    database.sql(
        "UPDATE finished_jobs SET error_kind = 'boom', error_message = repeat('m', 60000),"
            + " error_stack = repeat('s', 60000), error_fingerprint = 'f1'");
    JobLists.JobPage page = lists.list(project, ALL.ofError("f1"), Long.MAX_VALUE, 50);
    assertEquals(50, page.items().size());
    page.items()
        .forEach(j -> assertTrue(String.valueOf(j.errorSummary()).length() <= 220, j::toString));
  }

  /** A job that is brought back between a page's statements was in neither of their tables. */
  @Test
  void jobThatIsBroughtBackWhileAPageIsReadIsOnIt() {
    enqueue(5, "t");
    finish("id = 3", "dead");
    Jdbi jdbi = TestProjects.api(database);
    AtomicBoolean moved = new AtomicBoolean();
    jdbi.setSqlLogger(
        new SqlLogger() {
          @Override
          public void logAfterExecution(StatementContext context) {
            if (String.valueOf(context.getRawSql()).contains("FROM jobs.jobs j")
                && moved.compareAndSet(false, true)) {
              database.sql("SELECT redrive_jobs(" + project + ", ARRAY[3]::bigint[], '{dead}')");
            }
          }
        });
    JobLists.JobPage page = TestJobLists.over(jdbi).list(project, ALL, Long.MAX_VALUE, 50);
    assertTrue(moved.get());
    assertEquals(5, page.items().size());
    assertEquals(new Count(5, false), page.count());
  }
}
