package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A workflow as a whole: its state, its deadline, and the jobs that follow. */
class WorkflowEndPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
  }

  private Flow flow(String onFailure) {
    return new Flow(database, sql, project, queue, onFailure);
  }

  /** A callback in a queue of its own, so that claims of members do not get it. */
  private void callback(Flow flow, String event, String job) {
    database.sql(
        "INSERT INTO workflow_callbacks (workflow_id, on_event, job) VALUES (%d, '%s', '%s')"
            .formatted(flow.id, event, job));
  }

  private String template(int inQueue) {
    return "{\"type\":\"tell\",\"queueId\":%d,\"priority\":7,\"payload\":{\"id\":\"{{workflowId}}\",\"state\":\"{{workflowState}}\",\"on\":\"{{workflowEvent}}\",\"of\":\"{{workflow}}\"}}"
        .formatted(inQueue);
  }

  private String told() {
    return database.sql(
        "SELECT string_agg((payload ->> 'on') || '=' || (payload ->> 'state'), ' ' ORDER BY id) FROM jobs WHERE type = 'tell'");
  }

  private void finish() {
    database.sql("SELECT count(*) FROM finish_workflows(10)");
  }

  /** C106: failed only once nothing of it lives. */
  @Test
  void itIsFailingUntilItsLastMemberHasEnded() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b").job("c");
    try (Connection worker = sql.asWorker()) {
      assertEquals("running", flow.status());
      flow.end(worker, "succeeded", "a");
      assertEquals("running", flow.status());
      flow.end(worker, "dead", "b");
      assertEquals("failing", flow.status());
      finish();
      assertEquals("failing", flow.status(), "its end is not noted while a member lives");
      flow.end(worker, "succeeded", "c");
      assertEquals("failed", flow.status());
      finish();
      assertEquals("failed", flow.status());
      assertEquals(
          "dead=1 succeeded=2",
          database.sql(
              "SELECT string_agg(state || '=' || jobs, ' ' ORDER BY state) FROM workflow_counts WHERE workflow_id = "
                  + flow.id));
    }
  }

  @Test
  void eachCallbackBecomesOneJobWhoeverNotesTheEnd() throws Exception {
    int other = sql.queue(project, "callbacks", null);
    Flow flow = flow("cancel").job("a");
    callback(flow, "success", template(other));
    callback(flow, "completion", template(other));
    callback(flow, "first_failure", template(other));
    try (Connection worker = sql.asWorker();
        Connection first = database.connect(Role.SCHEDULER);
        Connection second = database.connect(Role.SCHEDULER)) {
      flow.end(worker, "succeeded", "a");
      first.setAutoCommit(false);
      first.createStatement().execute("SELECT jobs.finish_workflows(10)");
      CompletableFuture<Boolean> late =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return second.createStatement().execute("SELECT jobs.finish_workflows(10)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      late.get(10, TimeUnit.SECONDS);
      first.commit();
      finish();
    }
    assertEquals("success=succeeded completion=succeeded", told());
    assertEquals(
        "7 ready callbacks %d w".formatted(flow.id),
        database.sql(
            "SELECT concat_ws(' ', j.priority, j.state, q.name, j.payload ->> 'id', j.payload ->> 'of') FROM jobs j JOIN queues q ON q.id = j.queue_id WHERE type = 'tell' LIMIT 1"));
    assertEquals(
        "2",
        database.sql(
            "SELECT count(*) FROM workflow_callbacks c JOIN jobs j ON j.id = c.job_id WHERE c.fired_at IS NOT NULL"));
  }

  @Test
  void theFirstFailureIsToldWhileOthersRunAndOnlyOnce() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b").job("c").job("d", "a");
    callback(flow, "first_failure", template(sql.queue(project, "callbacks", null)));
    callback(flow, "completion", template(sql.queue(project, "others", null)));
    try (Connection worker = sql.asWorker();
        Connection leader = database.connect(Role.SCHEDULER)) {
      flow.end(worker, "dead", "a");
      leader.createStatement().execute("SELECT jobs.note_first_failures(10)");
      assertEquals("first_failure=failing", told());
      flow.end(worker, "dead", "b");
      leader.createStatement().execute("SELECT jobs.note_first_failures(10)");
      flow.end(worker, "succeeded", "c");
      finish();
      assertEquals("first_failure=failing completion=failed", told());
      assertEquals("0", database.sql("SELECT count(*) FROM failure_notes"));
    }
  }

  /** A note of the run before would tell a failure that this run never had. */
  @Test
  void aWorkflowThatRunsAgainHasNotFailedYet() throws SQLException {
    Flow flow = flow("cancel").job("a");
    callback(flow, "first_failure", template(sql.queue(project, "callbacks", null)));
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "dead", "a");
      // Fires it from the end: the leader has not come to the note.
      finish();
      assertEquals("first_failure=failed", told());
      database.sql(
          "SELECT count(*) FROM redrive_jobs(%d, ARRAY[%d], '{dead}')"
              .formatted(project, flow.id("a")));
      assertEquals("0", database.sql("SELECT count(*) FROM note_first_failures(10)"));
      flow.end(worker, "dead", "a");
      assertEquals("1", database.sql("SELECT count(*) FROM note_first_failures(10)"));
    }
  }

  /** Nobody has a note to write who has no callback to fire. */
  @Test
  void failuresLeaveNoNoteWithoutACallback() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "dead", "a");
    }
    assertEquals("0", database.sql("SELECT count(*) FROM failure_notes"));
  }

  @Test
  void aTemplateThatMakesNoJobKeepsNoWorkflowFromEnding() throws SQLException {
    Flow broken = flow("cancel").job("a");
    callback(
        broken,
        "completion",
        "{\"type\":\"tell\",\"queueId\":%d,\"maxAttempts\":0}".formatted(queue));
    Flow gone = flow("cancel").job("a");
    callback(gone, "completion", template(999_999));
    try (Connection worker = sql.asWorker()) {
      broken.end(worker, "succeeded", "a");
      gone.end(worker, "succeeded", "a");
    }
    finish();
    assertEquals("2", database.sql("SELECT count(*) FROM workflows WHERE finished_at IS NOT NULL"));
    assertNull(
        database.sql(
            "SELECT job_id FROM workflow_callbacks WHERE fired_at IS NOT NULL AND workflow_id = "
                + broken.id));
    assertEquals("completion=succeeded", told(), "in the default queue, as its own is not there");
  }

  @Test
  void inAProjectThatWasDeletedNoCallbackComesToLife() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b");
    callback(flow, "first_failure", template(queue));
    callback(flow, "completion", template(queue));
    int elsewhere = sql.project("other");
    int theirs = sql.queue(elsewhere, "default", null);
    Flow other = new Flow(database, sql, elsewhere, theirs, "cancel").job("a");
    callback(other, "completion", template(theirs));
    try (Connection worker = sql.asWorker();
        Connection deletion = database.connect(Role.OWNER);
        Connection leader = database.connect(Role.SCHEDULER)) {
      flow.end(worker, "dead", "a");
      flow.end(worker, "succeeded", "b");
      other.end(worker, "succeeded", "a");
      deletion.setAutoCommit(false);
      deletion
          .createStatement()
          .execute("SELECT id FROM jobs.projects WHERE id = %d FOR UPDATE".formatted(project));
      leader.createStatement().execute("SET lock_timeout = '100ms'");
      for (String fires : List.of("finish_workflows", "note_first_failures")) {
        SQLException waits =
            assertThrows(
                SQLException.class,
                () -> leader.createStatement().execute("SELECT jobs.%s(10)".formatted(fires)));
        assertEquals("55P03", waits.getSQLState());
      }
      deletion
          .createStatement()
          .execute(
              "UPDATE jobs.projects SET deleted_at = clock_timestamp() WHERE id = %d"
                  .formatted(project));
      deletion.commit();
      leader.createStatement().execute("SELECT jobs.note_first_failures(10)");
    }
    finish();
    assertEquals("2", database.sql("SELECT count(*) FROM workflows WHERE finished_at IS NOT NULL"));
    assertEquals("completion=succeeded", told(), "of the other project");
    assertEquals(
        "2 0",
        database.sql(
            "SELECT concat_ws(' ', count(fired_at), count(job_id)) FROM workflow_callbacks WHERE workflow_id = "
                + flow.id));
  }

  @Test
  void aPassedDeadlineCancelsWhatIsLeftAndFailsTheWorkflow() throws SQLException {
    Flow flow = flow("hold").job("a").job("b").job("c", "b").gate("g", "signal", "{}", "c");
    Flow other = flow("cancel").job("a");
    database.sql(
        "UPDATE workflows SET deadline_at = clock_timestamp() - interval '1 second' WHERE id = "
            + flow.id);
    try (Connection worker = sql.asWorker();
        Connection leader = database.connect(Role.SCHEDULER)) {
      List<Sql.Claimed> running = flow.claim(worker, 1);
      leader.createStatement().execute("SELECT jobs.cancel_overdue(1000)");
      flow.drain();
      assertEquals("a=running b=cancelled c=cancelled g=cancelled", flow.shown());
      assertEquals("workflow-deadline", flow.column("c", "state_reason"));
      assertEquals("failing", flow.status());
      assertEquals(
          "workflow-deadline", database.sql("SELECT reason FROM cancel_requests"), "asked to end");
      sql.settle(worker, 1, running, "succeeded");
      finish();
      assertEquals("failed", flow.status());
      assertEquals("running", other.status());
      assertEquals("0", database.sql("SELECT count(*) FROM cancel_overdue(1000)"));
    }
  }

  /** Whoever operates on the workflow comes first; the next call finds what is left. */
  @Test
  void theDeadlineWaitsForNobodyAndIsNotedOnceNothingIsLeft() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a");
    database.sql("UPDATE workflows SET deadline_at = clock_timestamp() - interval '1 second'");
    try (Connection leader = database.connect(Role.SCHEDULER);
        Connection other = database.connect(Role.OWNER)) {
      other.setAutoCommit(false);
      other.createStatement().execute("SELECT pg_advisory_xact_lock(2, %d)".formatted(flow.id));
      leader.createStatement().execute("SELECT jobs.cancel_overdue(1000)");
      assertEquals("a=ready b=blocked", flow.shown());
      other.rollback();
      other.createStatement().execute("SELECT 1 FROM jobs.jobs WHERE state = 'ready' FOR UPDATE");
      leader.createStatement().execute("SELECT jobs.cancel_overdue(1000)");
      assertEquals("a=ready b=cancelled", flow.shown());
      assertNull(database.sql("SELECT deadline_passed_at FROM workflows"));
      other.rollback();
      leader.createStatement().execute("SELECT jobs.cancel_overdue(1000)");
      finish();
      assertEquals("failed", flow.status());
    }
  }

  @Test
  void aRedriveAfterTheDeadlineIsNotCancelledAgain() throws SQLException {
    Flow flow = flow("cancel").job("a");
    database.sql("UPDATE workflows SET deadline_at = clock_timestamp() - interval '1 second'");
    database.sql("SELECT count(*) FROM cancel_overdue(1000)");
    finish();
    database.sql(
        "SELECT count(*) FROM redrive_jobs(%d, ARRAY[%d], '{cancelled}')"
            .formatted(project, flow.id("a")));
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_overdue(1000)"));
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
    }
    finish();
    assertEquals("succeeded", flow.status());
  }

  /** The list of overdue ones is read once, and the first of them takes its time. */
  @Test
  void aWorkflowWhoseDeadlineIsVoidedMeanwhileIsNotCancelled() throws Exception {
    Flow slow = flow("cancel").job("a");
    Flow mended = flow("cancel").job("b");
    database.sql(
        "UPDATE workflows SET deadline_at = clock_timestamp() - make_interval(secs => 100 - id)");
    try (Connection leader = database.connect(Role.SCHEDULER);
        Connection other = database.connect(Role.OWNER)) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("SELECT 1 FROM jobs.workflows WHERE id = %d FOR UPDATE".formatted(slow.id));
      CompletableFuture<Boolean> overdue =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return leader.createStatement().execute("SELECT jobs.cancel_overdue(1000)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitALockWait();
      database.sql("UPDATE workflows SET deadline_at = NULL WHERE id = " + mended.id);
      other.rollback();
      overdue.get(10, TimeUnit.SECONDS);
    }
    assertEquals("a=cancelled", slow.shown());
    assertEquals("b=ready", mended.shown());
  }

  private void awaitALockWait() throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Connection superuser = database.superuser();
        var statement = superuser.createStatement()) {
      while (true) {
        try (var waiting =
            statement.executeQuery(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
          if (waiting.next()) {
            return;
          }
        }
        assertTrue(System.nanoTime() < deadline, "nobody waits");
      }
    }
  }

  @Test
  void edgesOutsideWorkflowsGoWithTheirChildAndTheOthersStay() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a");
    List<Long> loose = sql.ready(queue, 4);
    for (int i = 0; i < 4; i += 2) {
      database.sql(
          "INSERT INTO dependencies (child_id, parent_id, outcome) VALUES (%d, %d, 'succeeded')"
              .formatted(loose.get(i), loose.get(i + 1)));
    }
    database.sql("DELETE FROM jobs WHERE id = " + loose.get(0));
    assertEquals("1", database.sql("SELECT gone FROM forget_edges(0, 10)"));
    assertNull(database.sql("SELECT walked_to FROM forget_edges(0, 10)"));
    assertEquals(
        loose.get(2).toString(),
        database.sql("SELECT child_id FROM dependencies WHERE workflow_id IS NULL"));
    assertEquals("b=blocked", "b=" + flow.states().get("b"));
    assertEquals(
        "1", database.sql("SELECT count(*) FROM dependencies WHERE workflow_id IS NOT NULL"));
  }
}
