package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Gates that somebody opens: by a signal, by approval. */
class GatesPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private Flow flow;

  @BeforeEach
  void workflow() {
    sql = new Sql(database);
    project = sql.project("acme");
    int queue = sql.queue(project, "default", null);
    sql.worker(1);
    flow = new Flow(database, sql, project, queue, "cancel").job("a");
  }

  private String one(String call) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      return one(api, call);
    }
  }

  private static String one(Connection api, String call) throws SQLException {
    try (var statement = api.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + call)) {
      row.next();
      return row.getString(1);
    }
  }

  private String signal(String name, String payload) throws SQLException {
    return one(signalCall(name, payload));
  }

  private String signalCall(String name, String payload) {
    return "string_agg(verdict, ' ') FROM jobs.send_signal(%d, %d, '%s', '%s', 'ann')"
        .formatted(project, flow.id, name, payload);
  }

  private String decide(String key, String decision) throws SQLException {
    return one(
        "string_agg(verdict, ' ') FROM jobs.decide_approval(%d, %d, %d, '%s', 'ann', 'fine')"
            .formatted(project, flow.id, flow.id(key), decision));
  }

  @Test
  void aSignalEndsTheGateThatWaitsForItAndItsPayloadIsTheResult() throws SQLException {
    flow.gate("g", "signal", "{\"signal\":\"file\"}", "a").job("b", "g");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      assertEquals("blocked waiting-for-signal", flow.column("g", "state || ' ' || state_reason"));
      assertEquals("stored", signal("other", "1"));
      assertEquals("stored ended child_ready", signal("file", "{\"n\": 1.50}"));
      assertEquals("a=succeeded b=ready g=succeeded", flow.shown());
      assertEquals(
          "signalled {\"n\": 1.50}", flow.column("g", "concat_ws(' ', state_reason, result)"));
      assertEquals("stored", signal("file", "2"));
      flow.end(worker, "succeeded", "b");
      assertEquals("finished", signal("file", "3"));
    }
  }

  /** What its gates wait for was settled by the plan; a parent's end must not fail by them. */
  @Test
  void whateverAGateSaysAParentsEndStands() throws SQLException {
    flow.gate("a1", "approval", "{\"expiresInMs\": \"soon\"}", "a")
        .gate("a2", "approval", "{\"expiresInMs\": 1e300}", "a")
        .gate("a3", "approval", "{\"expiresInMs\": \"-Infinity\"}", "a")
        .gate("t1", "time", "{\"waitMs\": \"-Infinity\"}", "a")
        .gate("t2", "time", "{\"waitMs\": \"NaN\"}", "a")
        .gate("t3", "time", "{\"waitMs\": \"soon\"}", "a");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
    }
    assertEquals(
        "a=succeeded a1=blocked a2=blocked a3=blocked t1=succeeded t2=scheduled t3=succeeded",
        flow.shown());
    assertEquals("t", flow.column("a1", "start_by IS NULL"));
    assertEquals("t", flow.column("a2", "start_by < clock_timestamp() + interval '11 years'"));
    assertEquals("t", flow.column("a3", "start_by <= clock_timestamp()"));
    assertEquals("t", flow.column("t2", "run_at < clock_timestamp() + interval '11 years'"));
  }

  @Test
  void aGateIsNotEditedAsAJobAndAMembersPayloadOnlyWithItsWorkflow() throws SQLException {
    flow.gate("g", "approval", "{\"expiresInMs\": 1000}", "a");
    assertEquals("gate", edit("g", "NULL, true, '{\"expiresInMs\": \"x\"}'"));
    assertEquals("gate", edit("g", "9, false, NULL"));
    assertEquals("member", edit("a", "NULL, true, '1'"));
    assertEquals("edited", edit("a", "9, false, NULL"));
    assertEquals("{\"expiresInMs\": 1000}", flow.column("g", "payload::text"));
  }

  private String edit(String key, String parts) throws SQLException {
    return one(
        "verdict FROM jobs.edit_job(%d, %d, NULL, %s, false, NULL, false, NULL)"
            .formatted(project, flow.id(key), parts));
  }

  /** Who sends does not know whether the workflow is there yet. */
  @Test
  void aSignalThatCameTooEarlyIsKeptAndTheNewestPayloadIsTaken() throws SQLException {
    flow.gate("g", "signal", "{\"signal\":\"file\"}", "a").job("b", "g");
    flow.gate("h", "signal", "{\"signal\":\"file\"}", "b");
    assertEquals("stored", signal("file", "1"));
    assertEquals("stored", signal("file", "2"));
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      assertEquals("a=succeeded b=ready g=succeeded h=blocked", flow.shown());
      assertEquals("2", flow.column("g", "result"));
      // It is no queue: a gate that opens later takes it too.
      flow.end(worker, "succeeded", "b");
      assertEquals("succeeded", flow.states().get("h"));
    }
    assertEquals("succeeded", flow.status());
  }

  /** One of the two sees the other: else the gate would wait for ever. */
  @Test
  void aSignalAndTheEndOfTheJobBeforeItsGateMeet() throws Exception {
    flow.gate("g", "signal", "{\"signal\":\"file\"}", "a");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API);
        Connection other = sql.asWorker()) {
      // The parent's end is told by another transaction, which holds no lock of the workflow.
      database.sql("UPDATE jobs SET has_dependents = false WHERE workflow_key = 'a'");
      sql.settle(worker, 1, flow.claim(worker, 1), "succeeded");
      database.sql("INSERT INTO pending_releases VALUES (%d, 'succeeded')".formatted(flow.id("a")));
      api.setAutoCommit(false);
      assertEquals("stored", one(api, signalCall("file", "1")));
      CompletableFuture<String> told =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return one(other, "count(*) FROM jobs.release_pending(10)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      api.commit();
      told.get(10, TimeUnit.SECONDS);
      flow.drain();
      assertEquals("a=succeeded g=succeeded", flow.shown());
    }
  }

  @Test
  void anApprovalKeepsWhoAndWhyAndIsAskedAgainAfterARetry() throws SQLException {
    flow.gate("g", "approval", null, "a").job("b", "g");
    assertEquals("not-open", decide("g", "approve"));
    assertEquals("not-gate", decide("a", "approve"));
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      assertEquals("waiting-for-approval", flow.column("g", "state_reason"));
      assertEquals("decided child_ready", decide("g", "approve"));
      assertEquals("ended", decide("g", "reject"));
      assertEquals("a=succeeded b=ready g=succeeded", flow.shown());
      assertEquals(
          "approved approve ann fine",
          flow.column(
              "g",
              "concat_ws(' ', state_reason, result ->> 'decision', result ->> 'by', result ->>"
                  + " 'comment')"));
      one(
          "count(*) FROM jobs.rerun_members(%d, %d, '{%d}')"
              .formatted(project, flow.id, flow.id("g")));
      assertEquals("a=succeeded b=blocked g=blocked", flow.shown());
      assertEquals("decided", decide("g", "reject"));
      flow.drain();
      assertEquals("a=succeeded b=skipped g=cancelled", flow.shown());
      assertEquals(
          "rejected rejected by ann: fine",
          flow.column("g", "concat_ws(' ', state_reason, error_message)"));
      assertEquals(
          "approve reject",
          database.sql("SELECT string_agg(decision, ' ' ORDER BY id) FROM workflow_approvals"));
    }
  }

  @Test
  void anApprovalThatNobodyGivesInTimeExpires() throws SQLException {
    flow.gate("g", "approval", "{\"expiresInMs\": 3600000}", "a").job("b", "g");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
    }
    assertEquals("t", flow.column("g", "start_by > now() + interval '59 minutes'"));
    assertEquals("0", database.sql("SELECT count(*) FROM expire_jobs(10, '{}')"));
    database.sql("UPDATE jobs SET start_by = now() WHERE workflow_key = 'g'");
    assertEquals("expired", decide("g", "approve"));
    assertEquals("1", database.sql("SELECT count(*) FROM expire_jobs(10, '{}')"));
    flow.drain();
    assertEquals("a=succeeded b=skipped g=cancelled", flow.shown());
    assertEquals("approval-expired", flow.column("g", "state_reason"));
  }

  @Test
  void aGateOpensInAPausedWorkflowButNothingBehindItStarts() throws SQLException {
    flow.gate("g", "signal", "{\"signal\":\"file\"}", "a").job("b", "g");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      assertEquals(
          "paused", one("jobs.pause_workflow(%d, %d, 'ann', NULL)".formatted(project, flow.id)));
      assertEquals("stored ended", signal("file", "1"));
      assertEquals("a=succeeded b=blocked g=succeeded", flow.shown());
      assertTrue(flow.claim(worker, 10).isEmpty());
      one("count(*) FROM jobs.resume_workflow(%d, %d)".formatted(project, flow.id));
      assertEquals("a=succeeded b=ready g=succeeded", flow.shown());
    }
  }
}
