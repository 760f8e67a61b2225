package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReleasePgTest {
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
    sql.worker(2);
  }

  private int workflow(String onFailure) {
    return sql.number(
        "INSERT INTO workflows (project_id, name, on_failure, job_count) VALUES (%d, 'w', '%s', 0) RETURNING id"
            .formatted(project, onFailure));
  }

  private long job(int workflow, String state) {
    return sql.ids(
            """
            INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, ready_at)
            VALUES (%d, %d, 'echo', '%s', %d, 'k', 5, clock_timestamp()) RETURNING id
            """
                .formatted(project, queue, state, workflow))
        .get(0);
  }

  private void edge(int workflow, long parent, long child, String on) {
    database.sql(
        """
        INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome) VALUES (%d, %d, %d, '%s');
        UPDATE jobs SET has_dependencies = true WHERE id = %1$d;
        UPDATE jobs SET has_dependents = true WHERE id = %2$d
        """
            .formatted(child, parent, workflow, on));
  }

  private void run(Connection worker, String outcome) throws SQLException {
    sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), outcome);
  }

  private void drain() {
    while ("more"
        .equals(database.sql("SELECT kind FROM release_pending(200) WHERE kind = 'more'"))) {
      // until nothing is pending
    }
  }

  @Test
  void childBecomesReadyWithItsLastParent() throws SQLException {
    int flow = workflow("cancel");
    long a = job(flow, "ready");
    long b = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, a, child, "success");
    edge(flow, b, child, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      assertEquals("blocked", sql.state(child));
      run(worker, "succeeded");
      assertEquals("ready", sql.state(child));
      assertEquals("5", database.sql("SELECT dispatch_key FROM jobs WHERE id = " + child));
    }
  }

  /** I5: whatever its state says, a job with an unmet edge is not claimed. */
  @Test
  void claimRefusesAReadyJobWithAnUnmetEdge() throws SQLException {
    int flow = workflow("cancel");
    long parent = job(flow, "blocked");
    long child = job(flow, "ready");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      assertEquals(List.of(), sql.claim(worker, 1, 1, queue, 5));
      database.sql("UPDATE dependencies SET outcome = 'succeeded'");
      assertEquals(child, sql.claim(worker, 1, 2, queue, 5).get(0).id());
    }
  }

  /**
   * Each of two parents that end together sees the other unfinished; the later statement must look
   * again.
   */
  @Test
  void twoParentsThatEndTogetherDoNotStrandTheirChild() throws Exception {
    int flow = workflow("cancel");
    long a = job(flow, "ready");
    long b = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, a, child, "success");
    edge(flow, b, child, "success");
    try (Connection first = sql.asWorker();
        Connection second = sql.asWorker()) {
      List<Sql.Claimed> one = sql.claim(first, 1, 1, queue, 1);
      List<Sql.Claimed> two = sql.claim(second, 2, 1, queue, 1);
      first.setAutoCommit(false);
      sql.settle(first, 1, one, "succeeded");
      CompletableFuture<List<Sql.Verdict>> settling =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return sql.settle(second, 2, two, "succeeded");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitALockWait();
      first.commit();
      settling.get(10, TimeUnit.SECONDS);
      assertEquals("ready", sql.state(child));
    }
  }

  private void awaitALockWait() throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Connection superuser = database.superuser();
        PreparedStatement waiting =
            superuser.prepareStatement(
                "SELECT count(*) FROM pg_stat_activity"
                    + " WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
      while (true) {
        try (ResultSet row = waiting.executeQuery()) {
          row.next();
          if (row.getInt(1) == 1) {
            return;
          }
        }
        assertTrue(System.nanoTime() < deadline, "the second settle never waited for the first");
      }
    }
  }

  @Test
  void failureSkipsAllDescendantsUnderCancelAndNoneUnderHold() throws SQLException {
    for (String policy : List.of("cancel", "hold")) {
      int flow = workflow(policy);
      long root = job(flow, "ready");
      long child = job(flow, "blocked");
      long grandchild = job(flow, "blocked");
      edge(flow, root, child, "success");
      edge(flow, child, grandchild, "success");
      try (Connection worker = sql.asWorker()) {
        run(worker, "dead");
      }
      drain();
      String expected = policy.equals("cancel") ? "skipped" : "blocked";
      assertEquals(expected, sql.state(child), policy);
      assertEquals(expected, sql.state(grandchild), policy);
    }
  }

  @Test
  void edgesOnDoneAndOnFailureMeetTheirOutcomes() throws SQLException {
    int flow = workflow("cancel");
    long root = job(flow, "ready");
    long onDone = job(flow, "blocked");
    long onFailure = job(flow, "blocked");
    long onSuccess = job(flow, "blocked");
    edge(flow, root, onDone, "done");
    edge(flow, root, onFailure, "failure");
    edge(flow, root, onSuccess, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "dead");
    }
    assertEquals("ready", sql.state(onDone));
    assertEquals("ready", sql.state(onFailure));
    assertEquals("skipped", sql.state(onSuccess));
  }

  @Test
  void wideFanIsReleasedInBatchesAfterTheSettle() throws SQLException {
    int flow = workflow("cancel");
    long root = job(flow, "ready");
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, has_dependencies)
        SELECT %d, %d, 'echo', 'blocked', %d, 'c' || i, 5, true FROM generate_series(1, 2000) i;
        UPDATE jobs SET has_dependents = true WHERE id = %d;
        INSERT INTO dependencies (child_id, parent_id, workflow_id)
        SELECT id, %4$d, %3$d FROM jobs WHERE state = 'blocked'
        """
            .formatted(project, queue, flow, root));
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
    }
    assertEquals("2000", database.sql("SELECT count(*) FROM jobs WHERE state = 'blocked'"));
    database.sql("SELECT count(*) FROM release_pending(200)");
    assertEquals("200", database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
    drain();
    assertEquals("2000", database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
    assertEquals("0", database.sql("SELECT count(*) FROM pending_releases"));
  }

  /**
   * As the sweep leaves it whose snapshot still saw the parent's end, when a redrive takes that
   * back.
   */
  @Test
  void noteOfAnEndThatWasTakenBackReleasesNobody() throws SQLException {
    int flow = workflow("cancel");
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    List<String> tellers =
        List.of("count(*) FROM release_pending(200)", "tell_edges(%d, 200)".formatted(parent));
    for (String teller : tellers) {
      database.sql(
          "INSERT INTO pending_releases (parent_id, outcome) VALUES (%d, 'succeeded')"
              .formatted(parent));
      database.sql("SELECT " + teller);
      assertEquals("0", database.sql("SELECT count(*) FROM dependencies WHERE met"), teller);
      assertEquals("blocked", sql.state(child), teller);
      assertEquals("0", database.sql("SELECT count(*) FROM pending_releases"), teller);
    }
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
    }
    assertEquals("ready", sql.state(child));
  }

  @Test
  void settleWaitsForNobodyOperatingOnItsWorkflow() throws SQLException {
    int flow = workflow("cancel");
    job(flow, "ready");
    try (Connection worker = sql.asWorker();
        Connection surgeon = database.connect(io.jobscheduler.schema.testing.Role.OWNER)) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      surgeon.setAutoCommit(false);
      surgeon.createStatement().execute("SELECT pg_advisory_xact_lock(2, " + flow + ")");
      assertEquals("busy", sql.settle(worker, 1, claimed, "succeeded").get(0).verdict());
      surgeon.rollback();
      assertEquals("settled", sql.settle(worker, 1, claimed, "succeeded").get(0).verdict());
    }
  }

  /** Whoever operates on a workflow may hold its rows, and wait for ours. */
  @Test
  void nobodyWaitsForTheChildrenOfAWorkflowThatIsOperatedOn() throws SQLException {
    int flow = workflow("cancel");
    int other = workflow("cancel");
    long parent = job(flow, "ready");
    long near = job(flow, "blocked");
    long far = job(other, "blocked");
    edge(flow, parent, near, "success");
    edge(other, parent, far, "success");
    try (Connection worker = sql.asWorker();
        Connection surgeon = database.connect(io.jobscheduler.schema.testing.Role.OWNER)) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      surgeon.setAutoCommit(false);
      surgeon.createStatement().execute("SELECT pg_advisory_xact_lock(2, " + other + ")");
      surgeon
          .createStatement()
          .execute("SELECT 1 FROM jobs.jobs WHERE id = %d FOR UPDATE".formatted(far));
      worker.createStatement().execute("SET lock_timeout = '2s'");
      sql.settle(worker, 1, claimed, "succeeded");
      assertEquals("succeeded", sql.state(parent));
      worker.createStatement().execute("SELECT count(*) FROM jobs.release_pending(200)");
      assertEquals("ready", sql.state(near));
      assertEquals("blocked", sql.state(far));
      surgeon.rollback();
      drain();
      assertEquals("ready", sql.state(far));
    }
  }

  @Test
  void sweepRepairsWhatALostReleaseLeft() throws SQLException {
    int flow = workflow("cancel");
    long root = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, root, child, "success");
    // The parent ends without telling anybody.
    database.sql("UPDATE jobs SET has_dependents = false WHERE id = " + root);
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
    }
    assertEquals("blocked", sql.state(child));
    database.sql("SELECT count(*) FROM sweep_blocked(0, 100)");
    drain();
    assertEquals("ready", sql.state(child));
  }

  @Test
  void workflowEndsWithItsLastMember() throws SQLException {
    int flow = workflow("cancel");
    job(flow, "ready");
    job(flow, "ready");
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      assertEquals("0", database.sql("SELECT count(*) FROM finish_workflows(10)"));
      assertEquals("running", database.sql("SELECT state FROM workflow_status"));
      run(worker, "dead");
      assertEquals("failed", database.sql("SELECT state FROM workflow_status"));
      assertEquals("failed", database.sql("SELECT final_state FROM finish_workflows(10)"));
      assertEquals("0", database.sql("SELECT count(*) FROM finish_workflows(10)"));
    }
  }
}
