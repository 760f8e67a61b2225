package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Walks over lists while jobs come, end and come back between the pages. Whatever moves, a job that
 * was there and fitted throughout is met once, however small pages and scans are.
 */
class JobListWalkPropertyTest {
  private static final int JOBS = 32;
  private static final int WALKS = 2;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private JobLists lists;
  private EnqueueStore enqueue;

  @BeforeEach
  void open() {
    Jdbi jdbi = TestProjects.api(database);
    enqueue = new EnqueueStore(jdbi);
    lists = TestJobLists.over(jdbi);
  }

  /** A project of which every second job is of the type "t", and belongs to the schedule "s". */
  private final class Walk {
    private final int project;
    private final List<Long> fitting = new ArrayList<>();
    private final List<Long> all = new ArrayList<>();
    private final Random random;

    Walk(Random random) {
      this.random = random;
      project = TestProjects.create(database, "p" + Integer.toHexString(random.nextInt()));
      enqueue(JOBS / 2);
      database.sql(
          "SELECT set_search_paths(q.id, '{k}') FROM queues q WHERE q.project_id = " + project);
      database.sql("SELECT settle_search_paths()");
      enqueue(JOBS / 2);
      database.sql(
          """
          WITH s AS (
            INSERT INTO schedules (project_id, name, kind, expression, dialect, template, job_type, queue_id,
                next_fire_at)
            SELECT %1$d, 's', 'cron', '0 3 * * *', 'unix', 'job', 't', q.id, now()
              FROM queues q WHERE q.project_id = %1$d RETURNING id)
          UPDATE jobs SET schedule_id = (SELECT s.id FROM s), tags = '{vip}', payload = '{"k":1}'
           WHERE project_id = %1$d AND type = 't'
          """
              .formatted(project));
      Collections.reverse(fitting);
    }

    private void enqueue(int count) {
      for (int i = 0; i < count / 8; i++) {
        fitting.addAll(enqueueAll(4, "t"));
        all.addAll(fitting.subList(fitting.size() - 4, fitting.size()));
        all.addAll(enqueueAll(4, "other"));
      }
    }

    private List<Long> enqueueAll(int count, String type) {
      return count == 0
          ? List.of()
          : enqueue.enqueueJobs(project, TestProjects.jobs(count, type)).orElseThrow().stream()
              .map(EnqueueStore.Enqueued::id)
              .collect(Collectors.toList());
    }

    private String some(double share) {
      return all.stream()
          .filter(id -> random.nextDouble() < share)
          .map(String::valueOf)
          .collect(Collectors.joining(",", "'{", "}'::bigint[]"));
    }

    /** As a settle does: out of one table, into the other, a day of retention each. */
    private void end(String ids, String state) {
      database.sql(
          """
          WITH gone AS (
            DELETE FROM jobs WHERE id = ANY (%s)
            RETURNING id, created_at, project_id, queue_id, attempt, max_attempts, attempt_rows, returned, priority,
                      has_dependencies, has_dependents, type, schedule_id, tags, payload)
          INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id, queue_id, attempt,
              max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents, state, type,
              schedule_id, tags, payload)
          SELECT id, created_at, clock_timestamp(), current_date + (id %% 20)::int, project_id, queue_id, attempt,
                 max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents, '%s', type,
                 schedule_id, tags, payload
            FROM gone
          """
              .formatted(ids, state));
    }

    private void move() {
      enqueueAll(random.nextInt(3), "t");
      end(some(0.3), random.nextBoolean() ? "succeeded" : "dead");
      database.sql("SELECT redrive_jobs(%d, %s, '{dead,succeeded}')".formatted(project, some(0.3)));
    }

    List<Long> pages(JobFilter filter) {
      int limit = 2 + random.nextInt(8);
      int scanned = 1 + random.nextInt(20);
      List<Long> seen = new ArrayList<>();
      String cursor = null;
      do {
        JobLists.JobPage page =
            lists.list(project, filter, Cursor.number(cursor, Long.MAX_VALUE), limit, scanned);
        page.items().forEach(j -> seen.add(Long.parseLong(j.id())));
        cursor = page.nextCursor();
        move();
      } while (cursor != null);
      return seen;
    }
  }

  private void walk(JobFilter filter, Function<Walk, List<Long>> expected) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < WALKS; i++) {
      Walk walk = new Walk(random);
      assertEquals(expected.apply(walk), walk.pages(filter), "seed " + seed);
    }
  }

  private static JobFilter all() {
    return JobFilter.of(List.of(), null, null, null);
  }

  @Test
  void allJobs() {
    walk(
        all(), w -> w.all.stream().sorted(Collections.reverseOrder()).collect(Collectors.toList()));
  }

  @Test
  void jobsOfAType() {
    walk(JobFilter.of(List.of(), "default", "t", null), w -> w.fitting);
  }

  @Test
  void jobsOfASchedule() {
    walk(all().ofSchedule("s"), w -> w.fitting);
  }

  @Test
  void jobsThatAreLookedFor() {
    walk(
        all().matching(new JobSearch("vip", null, Instant.EPOCH, null, List.of())), w -> w.fitting);
  }

  /** The newer half by an index, the older by a scan. */
  @Test
  void jobsByADeclaredPath() {
    JobSearch.PayloadMatch match = new JobSearch.PayloadMatch("k", "1");
    walk(
        JobFilter.of(List.of(), "default", null, null)
            .matching(new JobSearch(null, null, null, null, List.of(match))),
        w -> w.fitting);
  }
}
