package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What of a bulk action can be taken back, and that the rest stays and is named. */
class BulkUndoPgTest {
  private static final String RECORD =
      """
      SELECT string_agg(md5(row(f.*)::text), ' ' ORDER BY f.id) FROM (
        SELECT id, lease_token, worker_id, created_at, run_at, ready_at, started_at, finished_at, attempt,
               max_attempts, attempt_rows, returned, priority, state, state_reason, type, payload::text, generation,
               start_by, error_kind, error_message, error_stack, error_fingerprint, unique_key, tags
          FROM finished_jobs) f
      """;
  private static final String ATTEMPTS =
      """
      SELECT md5(string_agg(row(t.*)::text, ' ' ORDER BY t.job_id, t.lease_token)) FROM (
        SELECT job_id, lease_token, worker_id, started_at, ended_at, attempt, outcome, error_kind, generation
          FROM finished_attempts) t
      """;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
  }

  /** Jobs that died after two attempts each. */
  private List<Long> died(int count) throws SQLException {
    List<Long> ids = bulk.sql.ready(bulk.queue, count);
    database.sql("UPDATE jobs SET max_attempts = 2, payload = '{\"a\": 1e2}'");
    try (Connection worker = bulk.sql.asWorker()) {
      for (int attempt = 0; attempt < 2; attempt++) {
        for (Sql.Claimed job : bulk.sql.claim(worker, 1, 1, bulk.queue, count)) {
          bulk.sql.settleOne(worker, job, "failed", "'boom'", "'0 s'", "NULL");
        }
        database.sql("UPDATE jobs SET run_at = now() - interval '1 s' WHERE state = 'retrying'");
        database.sql("SELECT promote_due(100)");
      }
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    return ids;
  }

  @Test
  void aRetriedJobThatNobodyHasClaimedIsWhatItWas() throws SQLException {
    died(3);
    bulk.ended("dead", 2);
    String record = database.sql(RECORD);
    String attempts = database.sql(ATTEMPTS);
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);
    assertEquals("5", database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));

    assertEquals("undoing", bulk.undo(bulk.project, action));
    bulk.drain(action);

    assertEquals("undone 5 {}", bulk.shown(action, "state, undone, kept"));
    assertEquals(record, database.sql(RECORD));
    assertEquals(attempts, database.sql(ATTEMPTS));
    assertEquals(
        "0 0",
        database.sql(
            "SELECT concat_ws(' ', (SELECT count(*) FROM jobs), (SELECT count(*) FROM attempts))"));
    assertEquals("undone", bulk.undo(bulk.project, action), "once");
  }

  @Test
  void whatHasGoneOnStaysAndIsNamed() throws SQLException {
    List<Long> ids = died(6);
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);
    try (Connection worker = bulk.sql.asWorker()) {
      List<Sql.Claimed> claimed = bulk.sql.claim(worker, 1, 1, bulk.queue, 3);
      bulk.sql.settle(worker, 1, claimed.subList(0, 1), "succeeded");
      bulk.sql.settleOne(worker, claimed.get(1), "failed", "'boom'", "'1 hour'", "NULL");
      database.sql(
          "SELECT count(*) FROM cancel_jobs(%1$d, '{%2$d}', 'x', NULL); SELECT count(*) FROM redrive_jobs(%1$d, '{%2$d}', '{cancelled}')"
              .formatted(bulk.project, ids.get(3)));
      database.sql("SELECT verdict FROM delete_job(%d, %d)".formatted(bulk.project, ids.get(4)));
      bulk.undo(bulk.project, action);
      bulk.drain(action);
    }
    assertEquals(
        "undone 1 {\"gone\": 1, \"ended\": 1, \"changed\": 1, \"started\": 2}",
        bulk.shown(action, "state, undone, kept"));
    assertEquals("dead", bulk.sql.state(ids.get(5)));
    assertEquals("running", bulk.sql.state(ids.get(2)));
    assertEquals("ready", bulk.sql.state(ids.get(3)));
  }

  /** Neither a snooze nor a return counts as an attempt; their handlers have begun all the same. */
  @Test
  void oneWhoseHandlerHasBegunStaysThoughItsAttemptDoesNotCount() throws SQLException {
    List<Long> ids = died(3);
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);
    try (Connection worker = bulk.sql.asWorker()) {
      List<Sql.Claimed> claimed = bulk.sql.claim(worker, 1, 1, bulk.queue, 3);
      bulk.sql.settleOne(worker, claimed.get(0), "snoozed", "NULL", "'1 hour'", "NULL");
      bulk.sql.settleOne(worker, claimed.get(1), "released", "'shut-down'", "NULL", "NULL");
      bulk.sql.settleOne(worker, claimed.get(2), "released", "NULL", "NULL", "NULL");
    }
    assertEquals("0 0 0", database.sql("SELECT string_agg(attempt::text, ' ') FROM jobs"));
    bulk.undo(bulk.project, action);
    bulk.drain(action);
    assertEquals("undone 1 {\"started\": 2}", bulk.shown(action, "state, undone, kept"));
    assertEquals("scheduled", bulk.sql.state(ids.get(0)));
    assertEquals("ready", bulk.sql.state(ids.get(1)));
    assertEquals("dead", bulk.sql.state(ids.get(2)), "was given back unstarted");
  }

  @Test
  void cancelledJobsWaitAgainAsTheyDid() throws SQLException {
    List<Long> ids = bulk.sql.ready(bulk.queue, 4);
    database.sql(
        "UPDATE jobs SET state = 'scheduled', ready_at = NULL, run_at = now() + interval '1 day',"
            + " start_by = now() + interval '2 days' WHERE id = "
            + ids.get(1));
    database.sql(
        "UPDATE jobs SET state = 'retrying', attempt = 1, run_at = now() + interval '1 day' WHERE"
            + " id = "
            + ids.get(2));
    String scheduled =
        "SELECT concat_ws(' ', state, run_at, start_by, ready_at IS NULL) FROM all_jobs WHERE id = "
            + ids.get(1);
    String before = database.sql(scheduled);
    try (Connection worker = bulk.sql.asWorker()) {
      bulk.sql.claim(worker, 1, 1, bulk.queue, 1);
      long action = bulk.submit(Bulk.LIVE, 1000);
      bulk.drain(action);
      assertEquals("4 1", bulk.shown(action, "done, requested"));
      bulk.undo(bulk.project, action);
      bulk.drain(action);
      assertEquals(
          "undone 2 {\"was-running\": 1, \"was-retrying\": 1}",
          bulk.shown(action, "state, undone, kept"));
    }
    assertEquals(before, database.sql(scheduled));
    assertEquals("ready", bulk.sql.state(ids.get(3)));
    assertEquals("cancelled", bulk.sql.state(ids.get(2)));
  }

  @Test
  void membersOfWorkflowsStay() {
    Flow flow = new Flow(database, bulk.sql, bulk.project, bulk.queue, "hold");
    flow.job("a");
    long id = flow.id("a");
    database.sql(
        "SELECT count(*) FROM move_to_finished('{%d}', '{dead}', '{x}', NULL, NULL, NULL, NULL, NULL)"
            .formatted(id));
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);
    bulk.undo(bulk.project, action);
    bulk.drain(action);
    assertEquals("undone 0 {\"graph\": 1}", bulk.shown(action, "state, undone, kept"));
    assertEquals("ready", bulk.sql.state(id));
  }

  @Test
  void oneThatIsUnderWayIsAbortedFirst() throws SQLException {
    List<Long> ids = died(5);
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.step(action, 2);
    bulk.undo(bulk.project, action);
    bulk.drain(action);
    assertEquals("undone 2 2", bulk.shown(action, "state, done, undone"));
    assertEquals("5", database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'dead'"));
    assertEquals(5, ids.size());
  }

  @Test
  void oneThatIsBeingForgottenIsGone() throws SQLException {
    died(5);
    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);
    database.sql("UPDATE bulk_actions SET ended_at = now() - interval '31 days'");
    assertEquals("2", database.sql("SELECT forget_bulk_actions('30 days', 2)"));
    assertEquals("gone", bulk.undo(bulk.project, action));
    assertEquals("completed", bulk.shown(action, "state"));
    assertEquals("5", database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
  }

  @Test
  void deletionIsNotTakenBack() {
    bulk.ended("dead", 1);
    long action = bulk.submit("\"action\": \"discard\", \"states\": [\"dead\"]", 1000);
    bulk.drain(action);
    assertEquals("deletes", bulk.undo(bulk.project, action));
    assertEquals("gone", bulk.undo(bulk.project + 1, action));
    assertEquals("completed 1", bulk.shown(action, "state, done"));
    assertEquals("0", database.sql("SELECT count(*) FROM finished_jobs"));
  }
}
