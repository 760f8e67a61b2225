package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pausing and cancelling a workflow: from the answer on nothing of it starts. */
class WorkflowStopPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private Sql sql;
  private int project;
  private Flow flow;

  @BeforeEach
  void workflow() {
    sql = new Sql(database);
    project = sql.project("acme");
    int queue = sql.queue(project, "default", null);
    sql.worker(1);
    flow = new Flow(database, sql, project, queue, "cancel");
  }

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  private static String one(Connection api, String call) throws SQLException {
    try (Statement statement = api.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + call)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private String pause() {
    return "jobs.pause_workflow(%d, %d, 'ann', 'later')".formatted(project, flow.id);
  }

  private String cancel() {
    return "c.cancelled || ' ' || c.requested FROM jobs.cancel_workflow(%d, %d, 'ann', 'wrong') c"
        .formatted(project, flow.id);
  }

  /** Runs a call on a connection of its own, once it waits for a lock of another. */
  private Future<String> meanwhile(String call) throws Exception {
    Future<String> answer =
        other.submit(
            () -> {
              try (Connection api = database.connect(Role.API)) {
                return one(api, call);
              }
            });
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Connection admin = database.superuser()) {
      while (one(
              admin,
              "count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
                  + " current_database()")
          .equals("0")) {
        assertTrue(System.nanoTime() < deadline, "nobody waits");
      }
    }
    return answer;
  }

  @Test
  void nothingOfAPausedWorkflowBecomesReadyWhateverHappens() throws SQLException {
    flow.job("a").job("b", "a").job("r").job("g");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      List<Sql.Claimed> all = flow.claim(worker, 10);
      assertEquals("paused", one(api, pause()));
      assertEquals("paused", one(api, pause()));
      for (Sql.Claimed job : all) {
        String outcome =
            job.id() == flow.id("a")
                ? "succeeded"
                : job.id() == flow.id("r") ? "failed" : "released";
        sql.settle(worker, 1, List.of(job), outcome);
      }
      flow.drain();
      for (int i = 0; i < 2; i++) {
        database.sql("UPDATE jobs SET run_at = now() - interval '1 s' WHERE run_at IS NOT NULL");
        database.sql("SELECT promote_due(10)");
        database.sql("SELECT sweep_blocked(0, 10)");
        assertTrue(flow.claim(worker, 10).isEmpty(), flow.shown());
      }
      assertEquals("a=succeeded b=blocked g=blocked r=blocked", flow.shown());
      assertEquals("workflow-paused", flow.column("b", "state_reason"));
      one(api, "count(*) FROM jobs.resume_workflow(%d, %d)".formatted(project, flow.id));
      assertEquals("a=succeeded b=ready g=ready r=ready", flow.shown());
    }
  }

  @Test
  void aPauseWaitsForClaimsInFlightAndLeavesThemRunning() throws Exception {
    flow.job("a").job("b");
    try (Connection worker = sql.asWorker()) {
      worker.setAutoCommit(false);
      assertEquals(1, flow.claim(worker, 1).size());
      Future<String> paused = meanwhile(pause());
      worker.commit();
      assertEquals("paused", paused.get(10, TimeUnit.SECONDS));
      worker.setAutoCommit(true);
      assertEquals("a=running b=blocked", flow.shown());
      assertTrue(flow.claim(worker, 10).isEmpty());
    }
  }

  /** C097. */
  @Test
  void aCancelledWorkflowStartsNothingAndWhatRunsIsAsked() throws Exception {
    flow.job("a").job("run").job("b", "a").job("c", "b").edge("run", "c", "done");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      List<Sql.Claimed> running = flow.claim(worker, 2);
      sql.settle(
          worker, 1, running.stream().filter(c -> c.id() == flow.id("a")).toList(), "succeeded");
      assertEquals("a=succeeded b=ready c=blocked run=running", flow.shown());
      assertEquals("2 1", one(api, cancel()));
      assertEquals("a=succeeded b=cancelled c=cancelled run=running", flow.shown());
      assertTrue(flow.claim(worker, 10).isEmpty());
      // From another client, and again.
      assertEquals("0 1", one(api, cancel()));
      // Given back or failed: it does not start again.
      sql.settle(
          worker, 1, running.stream().filter(c -> c.id() == flow.id("run")).toList(), "released");
      assertTrue(flow.claim(worker, 10).isEmpty());
      assertEquals("a=succeeded b=cancelled c=cancelled run=cancelled", flow.shown());
      assertEquals("0 0", one(api, cancel()));
      assertEquals("cancelled", flow.status());
      assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
    }
  }

  @Test
  void twoCancelsAtOnceAndASettleInFlightEndItOnce() throws Exception {
    flow.job("a").job("b", "a").job("c", "b");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      List<Sql.Claimed> a = flow.claim(worker, 1);
      worker.setAutoCommit(false);
      sql.settle(worker, 1, a, "succeeded");
      Future<String> first = meanwhile(cancel());
      worker.commit();
      worker.setAutoCommit(true);
      assertEquals("2 0", first.get(10, TimeUnit.SECONDS));
      assertEquals("0 0", one(api, cancel()));
      assertEquals("a=succeeded b=cancelled c=cancelled", flow.shown());
    }
  }

  /** Its row is not waited for; the request stands beside it. */
  @Test
  void aUserWhoHoldsALeaseDoesNotHoldUpTheCancel() throws SQLException {
    flow.job("a").job("b", "a");
    try (Connection worker = sql.asWorker();
        Connection user = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      Sql.Claimed a = flow.claim(worker, 1).get(0);
      user.setAutoCommit(false);
      one(user, "jobs.assert_lease(%d, %d)".formatted(a.id(), a.token()));
      assertEquals("1 1", one(api, cancel()));
      user.commit();
      sql.settle(worker, 1, List.of(a), "succeeded");
      assertEquals("a=succeeded b=cancelled", flow.shown());
    }
  }
}
