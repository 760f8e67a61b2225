package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Running members again, and ending, editing and pausing them by hand. */
class SurgeryPgTest {
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

  private String one(String call) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      return one(api, call);
    }
  }

  private static String one(Connection api, String call) throws SQLException {
    try (var statement = api.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + call)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  /** Runs members again; the keys of what became ready. */
  private Set<String> rerun(Flow flow, String... keys) throws SQLException {
    try (Connection api = database.connect(Role.API);
        PreparedStatement statement =
            api.prepareStatement(
                "SELECT m.key FROM jobs.rerun_members(?, ?, ?) r JOIN jobs.workflow_members m ON"
                    + " m.job_id = r.id")) {
      statement.setInt(1, project);
      statement.setInt(2, flow.id);
      statement.setArray(
          3, api.createArrayOf("bigint", Arrays.stream(keys).map(flow::id).toArray()));
      Set<String> ready = new TreeSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ready.add(rows.getString(1));
        }
      }
      return ready;
    }
  }

  private String end(Flow flow, String key, String state, String result) throws SQLException {
    return one(
        "verdict FROM jobs.end_member(%d, %d, %d, '%s', %s, 'by ann')"
            .formatted(project, flow.id, flow.id(key), state, result));
  }

  @Test
  void whatFailedRunsAgainAndWhatWasSkippedForItComesBack() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a").job("c", "b").job("d");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "d").end(worker, "dead", "a");
      database.sql("SELECT finish_workflows(10)");
      assertEquals("a=dead b=skipped c=skipped d=succeeded", flow.shown());
      assertEquals("failed", flow.status());
      assertEquals(Set.of("a"), rerun(flow, "a", "b", "c"));
      assertEquals("a=ready b=blocked c=blocked d=succeeded", flow.shown());
      assertEquals("running", flow.status());
      flow.end(worker, "succeeded", "a").end(worker, "succeeded", "b");
      flow.end(worker, "succeeded", "c");
      database.sql("SELECT finish_workflows(10)");
      assertEquals("succeeded", flow.status());
      assertEquals(
          "dead",
          database.sql("SELECT outcome FROM finished_attempts WHERE job_id = " + flow.id("a")));
    }
  }

  /** I5: re-blocked in the same transaction, and only once what they wait for has ended again. */
  @Test
  void waitingChildrenOfWhatRunsAgainWaitAndRunningOnesGoOn() throws SQLException {
    Flow flow = flow("cancel").job("a").job("run", "a").job("wait", "a").job("any").job("j");
    flow.edge("a", "j", "success").edge("any", "j", "success").join("j", "any_success");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      List<Sql.Claimed> all = flow.claim(worker, 10);
      List<Sql.Claimed> run = all.stream().filter(c -> c.id() == flow.id("run")).toList();
      sql.settle(worker, 1, all.stream().filter(c -> !run.contains(c)).toList(), "released");
      assertEquals(Set.of("a"), rerun(flow, "a"));
      assertEquals("a=ready any=ready j=blocked run=running wait=blocked", flow.shown());
      assertEquals(
          "succeeded", database.sql("SELECT outcome FROM attempts WHERE started_at IS NOT NULL"));
      sql.settle(worker, 1, run, "succeeded");
      flow.end(worker, "succeeded", "a");
      assertEquals("ready", flow.states().get("wait"));
    }
  }

  /** Everything again, and each job waits for its parents' second end. */
  @Test
  void allRunAgainInTheirOrder() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a").job("c", "b");
    try (Connection worker = sql.asWorker()) {
      for (int round = 0; round < 2; round++) {
        flow.end(worker, "succeeded", "a").end(worker, "succeeded", "b");
        flow.end(worker, "succeeded", "c");
        assertEquals(Set.of("a"), rerun(flow, "a", "b", "c"));
        assertEquals("a=ready b=blocked c=blocked", flow.shown());
      }
    }
  }

  @Test
  void otherProjectsCannotTouchIt() throws SQLException {
    Flow flow = flow("cancel").job("a");
    project = sql.project("other");
    assertEquals("absent", one("jobs.hold_workflow(%d, %d)".formatted(project, flow.id)));
    assertEquals("absent", end(flow, "a", "skipped", "NULL"));
    assertEquals(
        "absent", one("jobs.pause_workflow(%d, %d, 'ann', NULL)".formatted(project, flow.id)));
    assertEquals(
        "absent",
        one("jobs.edit_member(%d, %d, %d, '1', NULL)".formatted(project, flow.id, flow.id("a"))));
    assertNull(
        one(
            "cancelled FROM jobs.cancel_workflow(%d, %d, 'ann', NULL)"
                .formatted(project, flow.id)));
    assertEquals("a=ready", flow.shown());
  }

  /** As if it had not been there: see docs/workflows.md. */
  @Test
  void skippedByHandMeetsEdgesOnSuccessAndDoneAndNoneOnFailure() throws SQLException {
    Flow flow = flow("cancel").job("a").job("s", "a").job("d").job("f").job("after", "s");
    flow.edge("a", "d", "done").edge("a", "f", "failure");
    assertEquals("ended", end(flow, "a", "skipped", "NULL"));
    flow.drain();
    assertEquals("a=skipped after=blocked d=ready f=skipped s=ready", flow.shown());
    assertEquals(
        "skipped-by-hand by ann", flow.column("a", "state_reason || ' ' || error_message"));
    assertEquals("absent", end(flow, "a", "skipped", "NULL"));
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "s", "d").end(worker, "succeeded", "after");
    }
    assertEquals("succeeded", flow.status());
    // It counts again once it runs again.
    assertEquals(Set.of("a"), rerun(flow, "a", "s"));
    assertEquals("blocked", flow.states().get("s"));
  }

  @Test
  void markedSucceededHasItsResultAndNoAttemptAndNotWhileItRuns() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a").job("c", "b");
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> a = flow.claim(worker, 1);
      assertEquals("running", end(flow, "a", "succeeded", "'7'"));
      assertEquals("ended", end(flow, "b", "succeeded", "'{\"x\": 1.50}'"));
      assertEquals("a=running b=succeeded c=ready", flow.shown());
      assertEquals(
          "{\"x\": 1.50} marked-succeeded",
          flow.column("b", "concat_ws(' ', result, state_reason, lease_token)"));
      sql.settle(worker, 1, a, "dead");
      assertEquals("a=dead b=succeeded c=ready", flow.shown());
    }
  }

  /** Held until somebody decides: docs/workflows.md. */
  @Test
  void aFailedMemberIsReplacedByAResultAndItsHeldChildrenGoOn() throws SQLException {
    for (String policy : List.of("hold", "cancel")) {
      Flow flow = flow(policy).job("a").job("b", "a").job("c", "b");
      try (Connection worker = sql.asWorker();
          Connection api = database.connect(Role.API)) {
        flow.end(worker, "dead", "a");
        api.setAutoCommit(false);
        one(
            api,
            "jobs.rerun_members(%d, %d, '{%d, %d, %d}')"
                .formatted(project, flow.id, flow.id("a"), flow.id("b"), flow.id("c")));
        assertEquals(
            "ended",
            one(
                api,
                "verdict FROM jobs.end_member(%d, %d, %d, 'succeeded', '1', NULL)"
                    .formatted(project, flow.id, flow.id("a"))));
        api.commit();
        assertEquals("a=succeeded b=ready c=blocked", flow.shown());
        flow.end(worker, "succeeded", "b").end(worker, "succeeded", "c");
        assertEquals("succeeded", flow.status());
        assertEquals(
            "dead",
            database.sql("SELECT outcome FROM finished_attempts WHERE job_id = " + flow.id("a")));
      }
    }
  }

  /** So nobody pauses a workflow while a job of it becomes ready here. */
  @Test
  void childrenInOtherWorkflowsAreDecidedUnderTheirOwnLock() throws SQLException {
    Flow flow = flow("cancel").job("a");
    Flow other = flow("cancel").job("x");
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES (%d, %d, %d); UPDATE jobs SET state = 'blocked', ready_at = NULL, has_dependencies = true WHERE id = %1$d; UPDATE jobs SET has_dependents = true WHERE id = %2$d"
            .formatted(other.id("x"), flow.id("a"), other.id));
    String skip =
        "verdict FROM jobs.end_member(%d, %d, %d, 'skipped', NULL, NULL)"
            .formatted(project, flow.id, flow.id("a"));
    String rerun =
        "count(*) FROM jobs.rerun_members(%d, %d, '{%d}')"
            .formatted(project, flow.id, flow.id("a"));
    String redrive =
        "count(*) FROM jobs.redrive_jobs(%d, '{%d}', '{skipped}')".formatted(project, flow.id("a"));
    try (Connection api = database.connect(Role.API);
        Connection pausing = database.connect(Role.OWNER)) {
      api.setAutoCommit(false);
      for (String call : List.of(skip, rerun, skip, redrive)) {
        one(api, call);
        String free = "pg_try_advisory_xact_lock(2, %d)".formatted(other.id);
        assertEquals("f", one(pausing, free), call);
        api.commit();
        assertEquals("t", one(pausing, free), call);
        assertEquals(call.equals(skip) ? "x=ready" : "x=blocked", other.shown(), call);
      }
    }
  }

  @Test
  void aPayloadIsEditedWhileItsJobWaits() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a");
    String tag = "member_tag(id, generation, attempt, payload)";
    String before = flow.column("b", tag);
    assertEquals("edited", edit(flow, "b", "{\"n\": 1.50}", before));
    assertEquals("stale", edit(flow, "b", "2", before));
    assertEquals("edited", edit(flow, "b", "[3]", flow.column("b", tag)));
    assertEquals("[3]", flow.column("b", "payload"));
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> a = flow.claim(worker, 1);
      assertEquals("running", edit(flow, "a", "4", null));
      sql.settle(worker, 1, a, "succeeded");
      assertEquals("ended", edit(flow, "a", "4", null));
      assertEquals("absent", edit(flow("cancel").job("a"), "b", "4", null, flow.id("b")));
    }
  }

  private String edit(Flow flow, String key, String payload, String tag) throws SQLException {
    return edit(flow, key, payload, tag, flow.id(key));
  }

  private String edit(Flow flow, String key, String payload, String tag, long id)
      throws SQLException {
    return one(
        "jobs.edit_member(%d, %d, %d, '%s', %s)"
            .formatted(project, flow.id, id, payload, tag == null ? "NULL" : "'" + tag + "'"));
  }
}
