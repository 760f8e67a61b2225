package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Joins, conditions, policies and gates: what becomes of a child by how its parents end. */
class JoinsPgTest {
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

  private Flow joined(String mode) {
    return flow("cancel").job("a").job("b").job("c", "a", "b").join("c", mode);
  }

  private static String why(Flow flow, String key) {
    return flow.column(key, "concat_ws(' ', state, state_reason, error_message)");
  }

  @Test
  void joinsDecideByHowAllParentsEnded() throws SQLException {
    List<List<String>> table =
        List.of(
            List.of("all_done", "succeeded", "dead", "ready"),
            List.of("all_done", "dead", "dead", "ready"),
            List.of("any_success", "dead", "succeeded", "ready"),
            List.of("any_success", "dead", "dead", "skipped"),
            List.of("none_failed", "succeeded", "succeeded", "ready"),
            List.of("none_failed", "succeeded", "dead", "skipped"));
    try (Connection worker = sql.asWorker()) {
      for (List<String> row : table) {
        Flow flow = joined(row.get(0));
        flow.end(worker, row.get(1), "a");
        flow.end(worker, row.get(2), "b");
        assertEquals(row.get(3), flow.states().get("c"), row.toString());
        if (row.get(3).equals("ready")) {
          flow.end(worker, "succeeded", "c"); // the claim's gate agrees
        }
      }
    }
  }

  @Test
  void anySuccessGoesWithTheFirstAndAllDoneWaitsForTheLast() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Flow any = joined("any_success");
      any.end(worker, "succeeded", "a");
      assertEquals("ready", any.states().get("c"));
      any.end(worker, "succeeded", "c");
      any.end(worker, "dead", "b");
      assertEquals("a=succeeded b=dead c=succeeded", any.shown());

      Flow done = joined("all_done");
      done.end(worker, "dead", "a");
      assertEquals("blocked", done.states().get("c"));
    }
  }

  /** Skipped counts as not failed. */
  @Test
  void noneFailedGoesOnAfterSkippedParents() throws SQLException {
    Flow flow =
        flow("cancel").job("a").job("b", "a").job("x").job("c", "b", "x").join("c", "none_failed");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "dead", "a");
      flow.end(worker, "succeeded", "x");
      assertEquals("a=dead b=skipped c=ready x=succeeded", flow.shown());
    }
  }

  @Test
  void skipsSayWhyAndNameTheParent() throws SQLException {
    Flow flow =
        flow("cancel")
            .job("a")
            .job("b", "a")
            .job("c", "b")
            .job("ok")
            .job("rescue")
            .edge("ok", "rescue", "failure")
            .job("after", "rescue");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "dead", "a");
      flow.end(worker, "succeeded", "ok");
    }
    assertEquals("skipped dependency-failed parent a ended dead", why(flow, "b"));
    assertEquals("skipped dependency-failed parent b was skipped", why(flow, "c"));
    assertEquals("skipped condition-not-met parent ok ended succeeded", why(flow, "rescue"));
    assertEquals("skipped dependency-skipped parent rescue was skipped", why(flow, "after"));
  }

  /** Symptom: a workflow whose failure handler was not needed ended as failed. */
  @Test
  void aBranchNotTakenHarmsNoWorkflowAndIsNotHeld() throws SQLException {
    for (String policy : List.of("cancel", "hold")) {
      Flow flow = flow(policy).job("a").job("rescue").edge("a", "rescue", "failure");
      try (Connection worker = sql.asWorker()) {
        flow.end(worker, "succeeded", "a");
      }
      assertEquals("skipped", flow.states().get("rescue"), policy);
      assertEquals("succeeded", flow.status(), policy);
    }
  }

  @Test
  void heldChildrenGoOnOnceTheirParentSucceedsAfterAll() throws SQLException {
    Flow flow = flow("hold").job("a").job("x").job("b", "a").job("c", "b");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      flow.end(worker, "dead", "a");
      assertEquals("blocked dependency-failed", why(flow, "b"));
      assertEquals("failing", flow.status(), "x can still run");
      flow.end(worker, "succeeded", "x");
      assertEquals("held", flow.status());
      assertEquals("0", database.sql("SELECT count(*) FROM finish_workflows(10)"));

      api.createStatement()
          .execute(
              "SELECT jobs.redrive_jobs(%d, ARRAY[%d], '{dead}')".formatted(project, flow.id("a")));
      assertEquals("blocked", why(flow, "b"), "it waits again, for no failure");
      assertEquals("running", flow.status());
      flow.end(worker, "succeeded", "a");
      assertEquals("a=succeeded b=ready c=blocked x=succeeded", flow.shown());
    }
  }

  @Test
  void gatesEndByThemselvesAndNoWorkerGetsThem() throws SQLException {
    Flow flow =
        flow("cancel")
            .job("a")
            .gate("join", "join", null, "a")
            .gate("pause", "time", "{\"waitMs\": 3600000}", "join")
            .job("b", "pause");
    try (Connection worker = sql.asWorker();
        Connection leader = database.connect(Role.SCHEDULER)) {
      flow.end(worker, "succeeded", "a");
      assertEquals("a=succeeded b=blocked join=succeeded pause=scheduled", flow.shown());
      assertEquals("succeeded gate-passed", why(flow, "join"));
      assertEquals("0", flow.column("join", "attempt"));
      assertEquals(List.of(), flow.claim(worker, 10));

      database.sql("UPDATE jobs SET run_at = clock_timestamp() WHERE gate = 'time'");
      leader.createStatement().execute("SELECT jobs.promote_due(10)");
      assertEquals("a=succeeded b=ready join=succeeded pause=succeeded", flow.shown());
      assertNull(flow.column("pause", "lease_token"));
      flow.end(worker, "succeeded", "b");
      assertEquals("succeeded", flow.status());
    }
  }

  /** A gate that waits for no parent is decided when it is stored. */
  @Test
  void gateWithoutParentsIsReleasedByWhoeverStoresIt() throws SQLException {
    Flow flow = flow("cancel").gate("start", "join", null).job("b", "start");
    try (Connection api = database.connect(Role.API)) {
      api.createStatement()
          .execute(
              "SELECT jobs.release_waiting(%d, ARRAY[%d])".formatted(project, flow.id("start")));
    }
    flow.drain();
    assertEquals("b=ready start=succeeded", flow.shown());
  }

  @Test
  void joinsAreReckonedAnewWhenAParentIsBroughtBack() throws SQLException {
    Flow flow = joined("all_done");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      flow.end(worker, "dead", "a");
      flow.end(worker, "succeeded", "b");
      assertEquals("ready", flow.states().get("c"));
      api.createStatement()
          .execute(
              "SELECT jobs.redrive_jobs(%d, ARRAY[%d], '{dead}')".formatted(project, flow.id("a")));
      assertEquals("blocked", flow.states().get("c"), "a waived edge counts again");
      flow.end(worker, "dead", "a");
      assertEquals("ready", flow.states().get("c"));
    }
  }
}
