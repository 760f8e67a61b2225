package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which jobs a bulk action touches, when, and what it says of them. */
class BulkActionsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
  }

  private static String ids(List<Long> ids) {
    return String.join(" ", ids.stream().map(String::valueOf).toList());
  }

  @Test
  void retriesWhatWasDeadAndNothingElse() {
    List<Long> dead = bulk.ended("dead", 3);
    bulk.ended("cancelled", 2);
    bulk.sql.ready(bulk.queue, 2);

    long action = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(action);

    assertEquals("retried: " + ids(dead), bulk.outcomes(action));
    assertEquals(
        "completed 3 3 {} t",
        bulk.shown(action, "state, matched, done, skipped, ended_at IS NOT NULL"));
    assertEquals("5", database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
  }

  @Test
  void whatComesToMatchAfterTheSnapshotIsNotTouched() {
    List<Long> before = bulk.ended("dead", 2);
    List<Long> later = bulk.sql.ready(bulk.queue, 1);
    // Nothing is looked at yet: the leader finds the jobs, later.
    long action = bulk.submit(Bulk.DEAD, 0);
    bulk.ended("dead", 2);
    database.sql(
        "SELECT count(*) FROM move_to_finished('{%s}', '{dead}', '{x}', NULL, NULL, NULL, NULL, NULL)"
            .formatted(ids(later)));
    bulk.drain(action);
    assertEquals("retried: " + ids(before), bulk.outcomes(action));
    assertEquals("3", database.sql("SELECT count(*) FROM finished_jobs"));
  }

  @Test
  void aLiveJobThatComesIntoItsStateAfterTheSnapshotIsNotTouched() throws SQLException {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, dispatch_key, state, run_at, attempt,"
            + " started_at)"
            + " VALUES (%d, %d, 't', 0, 'retrying', clock_timestamp() + interval '1 h', 1, now())"
                .formatted(bulk.project, bulk.queue));
    bulk.sql.ready(bulk.queue, 1);
    long action = bulk.submit("\"action\": \"cancel\", \"states\": [\"retrying\"]", 0);
    try (Connection worker = bulk.sql.asWorker()) {
      bulk.sql.settleOne(
          worker,
          bulk.sql.claim(worker, 1, 1, bulk.queue, 1).get(0),
          "failed",
          "'x'",
          "'1 hour'",
          "NULL");
    }
    assertEquals("2", database.sql("SELECT count(*) FROM jobs WHERE state = 'retrying'"));
    bulk.drain(action);
    assertEquals("cancelled: 1", bulk.outcomes(action));
  }

  @Test
  void aJobThatChangesAfterItWasFoundIsSkippedAndSaysSo() {
    List<Long> dead = bulk.ended("dead", 3);
    long first = bulk.submit(Bulk.DEAD, 1000);
    long second = bulk.submit(Bulk.DEAD, 1000);
    database.sql("DELETE FROM finished_jobs WHERE id = " + dead.get(2));

    bulk.drain(first);
    bulk.drain(second);

    assertEquals(
        "retried: %d %d; skipped gone: %d".formatted(dead.get(0), dead.get(1), dead.get(2)),
        bulk.outcomes(first));
    assertEquals(
        "skipped changed: %d %d; skipped gone: %d".formatted(dead.get(0), dead.get(1), dead.get(2)),
        bulk.outcomes(second));
    assertEquals(
        "completed 0 {\"gone\": 1, \"changed\": 2}", bulk.shown(second, "state, done, skipped"));
    assertEquals("1 1", database.sql("SELECT string_agg(generation::text, ' ') FROM jobs"));
  }

  /** Claims what is ready and fails it for good. */
  private void dieAgain(int jobs) throws SQLException {
    database.sql("UPDATE jobs SET max_attempts = 1");
    try (Connection worker = bulk.sql.asWorker()) {
      List<Sql.Claimed> claimed = bulk.sql.claim(worker, 1, 1, bulk.queue, jobs);
      assertEquals(jobs, claimed.size());
      bulk.sql.settle(worker, 1, claimed, "dead");
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void aJobThatEndsAnewAfterItWasFoundIsNotTouchedAgain() throws SQLException {
    List<Long> dead = bulk.ended("dead", 3);
    long first = bulk.submit(Bulk.DEAD, 1000);
    long twice = bulk.submit(Bulk.DEAD, 1000);
    long discard = bulk.submit("\"action\": \"discard\", \"states\": [\"dead\"]", 1000);
    bulk.drain(first);
    dieAgain(3);

    bulk.drain(twice);
    bulk.drain(discard);

    assertEquals("skipped changed: " + ids(dead), bulk.outcomes(twice));
    assertEquals("skipped changed: " + ids(dead), bulk.outcomes(discard));
    assertEquals(
        "3 1", database.sql("SELECT concat_ws(' ', count(*), max(generation)) FROM finished_jobs"));
  }

  /** Waits for its first attempt when it is found, and then for its second. */
  @Test
  void aLiveJobThatIsBackInItsStateIsNotTouched() throws SQLException {
    List<Long> ids = bulk.sql.ready(bulk.queue, 1);
    long action = bulk.submit("\"action\": \"cancel\", \"states\": [\"ready\"]", 1000);
    long delete = bulk.submit("\"action\": \"delete\", \"states\": [\"ready\"]", 1000);
    try (Connection worker = bulk.sql.asWorker()) {
      bulk.sql.settleOne(
          worker,
          bulk.sql.claim(worker, 1, 1, bulk.queue, 1).get(0),
          "failed",
          "'x'",
          "'0 s'",
          "NULL");
    }
    database.sql("SELECT count(*) FROM run_jobs_now(%d, '{%s}')".formatted(bulk.project, ids(ids)));
    assertEquals("ready", bulk.sql.state(ids.get(0)));
    bulk.drain(action);
    bulk.drain(delete);
    assertEquals("skipped changed: " + ids(ids), bulk.outcomes(action));
    assertEquals("skipped changed: " + ids(ids), bulk.outcomes(delete));
    assertEquals("ready", bulk.sql.state(ids.get(0)));
  }

  @Test
  void runningJobsAreAskedToEndAndNeverDeleted() throws SQLException {
    List<Long> ids = bulk.sql.ready(bulk.queue, 3);
    try (Connection worker = bulk.sql.asWorker()) {
      bulk.sql.claim(worker, 1, 1, bulk.queue, 1);
      long cancel = bulk.submit(Bulk.LIVE, 1000);
      long delete =
          bulk.submit("\"action\": \"delete\", \"states\": [\"ready\", \"cancelled\"]", 1000);
      bulk.drain(cancel);
      bulk.drain(delete);

      assertEquals(
          "cancel_requested: %d; cancelled: %d %d".formatted(ids.get(0), ids.get(1), ids.get(2)),
          bulk.outcomes(cancel));
      assertEquals("3 1", bulk.shown(cancel, "done, requested"));
      // Found as ready, cancelled since: not what the operator saw.
      assertEquals(
          "skipped changed: %d %d".formatted(ids.get(1), ids.get(2)), bulk.outcomes(delete));
      assertEquals("running", bulk.sql.state(ids.get(0)));
    }
  }

  @Test
  void aJobThatIsClaimedMeanwhileIsNotCancelledAsOneThatWaits() throws SQLException {
    List<Long> ids = bulk.sql.ready(bulk.queue, 2);
    long action = bulk.submit(Bulk.WAITING, 1000);
    try (Connection claim = bulk.sql.asWorker()) {
      claim.setAutoCommit(false);
      bulk.sql.claim(claim, 1, 1, bulk.queue, 1);
      bulk.drain(action);
      assertEquals(
          "cancelled: %d; open: %d".formatted(ids.get(1), ids.get(0)), bulk.outcomes(action));
      claim.commit();
    }
    bulk.drain(action);
    assertEquals(
        "cancelled: %d; skipped changed: %d".formatted(ids.get(1), ids.get(0)),
        bulk.outcomes(action));
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
  }

  @Test
  void abortEndsItBetweenBatches() {
    List<Long> dead = bulk.ended("dead", 5);
    long action = bulk.submit(Bulk.DEAD, 1000);
    assertEquals(2, bulk.step(action, 2));
    int stranger = bulk.sql.project("stranger");
    assertFalse(bulk.abort(stranger, action));
    assertTrue(bulk.abort(bulk.project, action));

    bulk.drain(action);

    assertEquals("aborted by-request 2", bulk.shown(action, "state, state_reason, done"));
    assertEquals(
        "open: %s; retried: %s".formatted(ids(dead.subList(2, 5)), ids(dead.subList(0, 2))),
        bulk.outcomes(action));
    assertTrue(bulk.abort(bulk.project, action), "once more changes nothing");
  }

  @Test
  void abortWaitsForTheBatchInFlight() throws Exception {
    bulk.ended("dead", 2);
    long action = bulk.submit(Bulk.DEAD, 1000);
    try (Connection leader = database.connect(Role.SCHEDULER);
        Connection api = database.connect(Role.API);
        Statement step = leader.createStatement();
        Statement abort = api.createStatement()) {
      leader.setAutoCommit(false);
      step.execute("SELECT jobs.step_bulk_action(%d, 1, 1000, 1000)".formatted(action));
      abort.execute("SET lock_timeout = '100ms'");
      SQLException waits =
          org.junit.jupiter.api.Assertions.assertThrows(
              SQLException.class,
              () ->
                  abort.execute(
                      "SELECT jobs.abort_bulk_action(%d, %d, NULL)"
                          .formatted(bulk.project, action)));
      assertEquals("55P03", waits.getSQLState());
      leader.commit();
    }
    assertTrue(bulk.abort(bulk.project, action));
    assertEquals("aborted 1", bulk.shown(action, "state, done"));
  }

  @Test
  void anothersProjectAndQueuesAreOutOfReach() {
    int other = bulk.sql.project("other");
    int theirs = bulk.sql.queue(other, "default", null);
    bulk.ended(theirs, "dead", 2);
    int narrow = bulk.sql.queue(bulk.project, "narrow", null);
    List<Long> reached = bulk.ended(narrow, "dead", 1);
    List<Long> wide = bulk.ended("dead", 1);
    String all =
        "\"action\": \"retry\", \"states\": [\"dead\"], \"job_ids\": [1, 2, %s, %s, %s]"
            .formatted(ids(reached), ids(wide), ids(wide));

    long byKey = bulk.submit(all, "'{%d}'".formatted(narrow), 1000);
    bulk.drain(byKey);
    assertEquals("retried: " + ids(reached), bulk.outcomes(byKey));
    assertEquals(
        "f f t",
        database.sql(
            "SELECT concat_ws(' ', abort_bulk_action(%1$d, %2$d, '{%3$d}'), abort_bulk_action(%4$d, %2$d, NULL), abort_bulk_action(%1$d, %2$d, '{%5$d}'))"
                .formatted(bulk.project, byKey, bulk.queue, other, narrow)));

    long byPerson = bulk.submit(all, 1000);
    bulk.drain(byPerson);
    assertEquals("retried: " + ids(wide), bulk.outcomes(byPerson));
    assertEquals("2", database.sql("SELECT count(*) FROM finished_jobs"));
  }

  @Test
  void moreThanExpectedStopsItBeforeAnythingIsDone() {
    bulk.ended("dead", 4);
    long action = bulk.submit(Bulk.DEAD + ", \"max_jobs\": 3", 2);
    bulk.drain(action);
    assertEquals("stopped more-than-expected 0", bulk.shown(action, "state, state_reason, done"));
    assertEquals("4", database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'dead'"));
  }

  @Test
  void everyPairOfStatesIsJudgedByOneList() {
    assertEquals(
        "aborted>undoing canary>aborted canary>running canary>stopped completed>undoing"
            + " pending>aborted pending>running pending>stopped running>aborted running>canary"
            + " running>completed running>stopped stopped>undoing undoing>undone",
        database.sql(
            """
            WITH s AS (SELECT unnest('{pending,running,canary,completed,stopped,aborted,undoing,undone}'::text[]) AS state)
            SELECT string_agg(a.state || '>' || b.state, ' ' ORDER BY a.state, b.state)
              FROM s a CROSS JOIN s b WHERE bulk_may_become(a.state, b.state)
            """));
  }
}
