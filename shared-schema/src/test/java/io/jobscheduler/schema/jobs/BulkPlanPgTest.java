package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a step of a bulk action reads among many jobs, of other projects above all. */
class BulkPlanPgTest {
  /** Rows that a step looks at. */
  private static final int STRETCH = 100;

  /**
   * A page of the table for each row, and some of the indexes of some 20 partitions; the whole of
   * either table has over 900.
   */
  private static final int MOST_PAGES = 400;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;

  /** Live and dead jobs, 60,000 each, of which only each 500th is the project's own. */
  @BeforeEach
  void fill() {
    bulk = new Bulk(database);
    int other = bulk.sql.project("other");
    int theirs = bulk.sql.queue(other, "default", null);
    database.sql("SELECT ensure_partitions(40)");
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, schedule_id)
        SELECT CASE WHEN i %% 500 = 0 THEN %1$d ELSE %2$d END, CASE WHEN i %% 500 = 0 THEN %3$d ELSE %4$d END, 't',
               'ready', i, now(), 1 + i %% 500
          FROM generate_series(1, 60000) AS s (i)
        """
            .formatted(bulk.project, other, bulk.queue, theirs));
    database.sql(
        """
        INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id, queue_id, attempt, max_attempts,
            attempt_rows, returned, priority, has_dependencies, has_dependents, state, type, error_fingerprint, schedule_id)
        SELECT nextval('job_id_seq'), now(), now(), current_date + (i %% 20)::int,
               CASE WHEN i %% 500 = 0 THEN %1$d ELSE %2$d END, CASE WHEN i %% 500 = 0 THEN %3$d ELSE %4$d END,
               1, 1, 0, 0, 4, false, false, 'dead', 't', 'f' || i %% 500, 1 + i %% 500
          FROM generate_series(1, 60000) AS s (i)
        """
            .formatted(bulk.project, other, bulk.queue, theirs));
    database.sql(
        """
        CREATE FUNCTION pages_of(p_sql text) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE v json;
        BEGIN
          EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || p_sql INTO v;
          RETURN (v #>> '{0,Plan,Shared Hit Blocks}')::bigint + (v #>> '{0,Plan,Shared Read Blocks}')::bigint;
        END $$
        """);
  }

  /** Pages that the second of two steps touches; the first one also learns of the tables. */
  private long pages(long action, int batch) {
    return Long.parseLong(
        database.sql(
            """
            SELECT (array_agg(pages_of('SELECT * FROM step_bulk_action(%d, %d, %d, 10)')))[2]
              FROM generate_series(1, 2)
            """
                .formatted(action, batch, STRETCH)));
  }

  /** Whatever the planner believes: of full tables, and of tables that were empty. */
  @Test
  void aStretchOfTheWalkReadsABoundedNumberOfPages() {
    for (boolean analysed : List.of(false, true)) {
      if (analysed) {
        database.sql("ANALYZE jobs, finished_jobs");
      }
      for (String spec :
          List.of(
              "\"states\": [\"ready\"]",
              "\"states\": [\"ready\"], \"tag\": \"none\"",
              "\"states\": [\"dead\"]",
              "\"states\": [\"dead\"], \"type\": \"none\"",
              "\"states\": [\"dead\"], \"error\": \"f0\"",
              "\"states\": [\"ready\"], \"schedule_id\": 1",
              "\"states\": [\"dead\"], \"schedule_id\": 1",
              "\"states\": [\"dead\"], \"job_ids\": [60500, 90000, 120000]")) {
        long action = bulk.submit("\"action\": \"cancel\", " + spec, 0);
        while (bulk.shown(action, "state").equals("pending")) {
          long pages = pages(action, 0);
          assertTrue(pages < MOST_PAGES, spec + " reads " + pages + ", analysed: " + analysed);
        }
        assertEquals(
            spec.contains("none") ? "0" : spec.contains("job_ids") ? "3" : "120",
            bulk.shown(action, "matched"),
            spec);
      }
    }
  }

  /** Where a batch begins does not depend on how many jobs were done before. */
  @Test
  void aBatchBeginsWhereTheLastOneEnded() {
    long action = bulk.submit("\"action\": \"retry\", \"states\": [\"dead\"]", 1000);
    long fresh = pages(action, 10);
    database.sql(
        """
        INSERT INTO bulk_action_jobs (action_id, job_id, outcome)
        SELECT %1$d, -i, 'skipped' FROM generate_series(1, 60000) AS s (i)
        """
            .formatted(action));
    database.sql("UPDATE bulk_actions SET done_to = 0");
    long late = pages(action, 10);
    assertTrue(late < fresh + MOST_PAGES, late + " after " + fresh);
    assertEquals("40", bulk.shown(action, "done"));
  }
}
