package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Failures of graphs that users of other products have reported: see docs/field-cases.md. */
class GraphCasesPgTest {
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

  private Flow flow(String onFailure) {
    return new Flow(database, sql, project, queue, onFailure);
  }

  private String as(Role role, String query) throws SQLException {
    try (Connection connection = database.connect(role);
        var statement = connection.createStatement();
        var row = statement.executeQuery("SELECT " + query)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private interface End {
    void of(Flow flow, Connection worker) throws SQLException;
  }

  /**
   * C093: A to B to C; however A ends badly, nothing is left waiting, and the reasons lead to A.
   */
  @Test
  void howeverAParentEndsBadlyNobodyWaitsForEver() throws SQLException {
    List<End> ends =
        List.of(
            (flow, worker) -> flow.end(worker, "dead", "a"),
            (flow, worker) -> flow.end(worker, "timed_out", "a"),
            (flow, worker) ->
                as(
                    Role.API,
                    "jobs.cancel_jobs(%d, ARRAY[%d], 'ann', 'x')".formatted(project, flow.id("a"))),
            (flow, worker) -> {
              flow.claim(worker, 1);
              database.sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = 1");
              as(Role.SCHEDULER, "count(*) FROM jobs.rescue_jobs(10, false)");
              database.sql("UPDATE workers SET lost_at = NULL WHERE id = 1");
            },
            (flow, worker) -> {
              database.sql(
                  "UPDATE jobs SET start_by = clock_timestamp() WHERE id = " + flow.id("a"));
              as(Role.SCHEDULER, "count(*) FROM jobs.expire_jobs(10, '{}')");
            });
    for (int i = 0; i < ends.size(); i++) {
      for (String policy : List.of("cancel", "hold")) {
        Flow flow = flow(policy).job("a").job("b", "a").job("c", "b");
        database.sql("UPDATE jobs SET max_attempts = 1 WHERE id = " + flow.id("a"));
        try (Connection worker = sql.asWorker()) {
          ends.get(i).of(flow, worker);
        }
        flow.drain();
        as(Role.SCHEDULER, "count(*) FROM jobs.finish_workflows(10)");
        String context = "way " + i + " " + policy + " " + flow.shown();
        assertEquals("dependency-failed", flow.column("b", "state_reason"), context);
        if (policy.equals("cancel")) {
          assertEquals("skipped", flow.states().get("c"), context);
          assertEquals("failed", flow.status(), context);
          assertEquals(
              "parent a ended " + flow.states().get("a"),
              flow.column("b", "error_message"),
              context);
        } else {
          assertEquals("held", flow.status(), context);
        }
      }
    }
  }

  /** C094: the edges keep the outcome. */
  @Test
  void aParentWhoseRowHasGoneStrandsNobody() throws SQLException {
    Flow flow = flow("cancel").job("a").job("x").job("b", "a", "x").job("c", "b");
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      database.sql("DELETE FROM finished_jobs WHERE id = " + flow.id("a"));
      database.sql("SELECT count(*) FROM sweep_blocked(0, 100)");
      flow.end(worker, "succeeded", "x");
      assertEquals("b=ready c=blocked x=succeeded", flow.shown());
      flow.end(worker, "dead", "b");
      assertEquals(
          "moved",
          as(
              Role.API,
              "verdict FROM jobs.redrive_jobs(%d, ARRAY[%d], '{dead}')"
                  .formatted(project, flow.id("b"))));
      flow.end(worker, "succeeded", "b");
      assertEquals("b=succeeded c=skipped x=succeeded", flow.shown());
    }
  }

  /** C095: forced in ReleasePgTest; here by chance, over and over. */
  @Test
  void parentsThatEndAtTheSameInstantStartTheirChildOnce() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    try (Connection first = sql.asWorker();
        Connection second = sql.asWorker()) {
      for (int i = 0; i < 50; i++) {
        Flow flow = flow("cancel").job("a").job("b").job("c", "a", "b").job("d", "a", "b");
        List<Sql.Claimed> one = sql.claim(first, 1, 1, queue, 1);
        List<Sql.Claimed> two = sql.claim(second, 2, 1, queue, 1);
        CompletableFuture<Void> other =
            CompletableFuture.runAsync(() -> settle(second, 2, two, flow.id, both));
        settle(first, 1, one, flow.id, both);
        other.get(10, TimeUnit.SECONDS);
        List<Sql.Claimed> children = sql.claim(first, 1, 2, queue, 10);
        assertEquals(2, children.size(), "graph " + i);
        sql.settle(first, 1, children, "succeeded");
      }
    }
  }

  private void settle(
      Connection worker, long id, List<Sql.Claimed> jobs, int flow, CyclicBarrier both) {
    try {
      both.await(10, TimeUnit.SECONDS);
      assertEquals(
          "settled",
          sql.settle(worker, id, jobs, new Integer[] {flow}, "succeeded", null).stream()
              .filter(v -> v.id() == jobs.get(0).id())
              .findFirst()
              .orElseThrow()
              .verdict());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** C097: 500 nodes, half of them done. */
  @Test
  void afterTheAnswerToACancelNothingOfTheRunStarts() throws Exception {
    Flow flow = flow("cancel").job("root");
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, has_dependencies,
                          has_dependents)
        SELECT %1$d, %2$d, 'echo', 'blocked', %3$d, 'n' || i, i, true, false FROM generate_series(1, 500) i;
        INSERT INTO dependencies (child_id, parent_id, workflow_id)
        SELECT id, %4$d, %3$d FROM jobs WHERE state = 'blocked';
        INSERT INTO workflow_members (workflow_id, job_id, key)
        SELECT %3$d, id, workflow_key FROM jobs WHERE state = 'blocked';
        UPDATE jobs SET has_dependents = true WHERE id = %4$d
        """
            .formatted(project, queue, flow.id, flow.id("root")));
    String cancel =
        "cancelled FROM jobs.cancel_workflow(%d, %d, 'ann', 'x')".formatted(project, flow.id);
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "root");
      sql.settle(worker, 1, flow.claim(worker, 240), "succeeded");
      List<Sql.Claimed> running = flow.claim(worker, 10);
      CompletableFuture<String> other =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return as(Role.API, cancel);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      int cancelled = Integer.parseInt(as(Role.API, cancel));
      assertEquals(List.of(), flow.claim(worker, 100));
      assertEquals(250, cancelled + Integer.parseInt(other.get(10, TimeUnit.SECONDS)));
      assertEquals("10", database.sql("SELECT count(*) FROM cancel_requests"));
      assertEquals("0", as(Role.API, cancel), "again");
      sql.settle(worker, 1, running, "failed");
    }
    as(Role.SCHEDULER, "count(*) FROM jobs.finish_workflows(10)");
    assertEquals("cancelled", flow.status());
  }

  /** C102: nothing of a graph is seen before its commit, and nothing of it stays without one. */
  @Test
  void nothingOfAGraphStartsOrEndsBeforeItIsWholeAndCommitted() throws SQLException {
    try (Connection submitting = database.connect(Role.API);
        Connection worker = sql.asWorker()) {
      submitting.setAutoCommit(false);
      try (var statement = submitting.createStatement()) {
        statement.execute(
            "INSERT INTO jobs.workflows (project_id, name, job_count) VALUES (%d, 'w', 2)"
                .formatted(project));
        statement.execute(
            """
            INSERT INTO jobs.jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, ready_at)
            VALUES (%d, %d, 'echo', 'ready', lastval()::int, 'a', 1, clock_timestamp())
            """
                .formatted(project, queue));
      }
      assertEquals(List.of(), sql.claim(worker, 1, 1, queue, 10));
      assertEquals("0", as(Role.SCHEDULER, "count(*) FROM jobs.finish_workflows(10)"));
      submitting.rollback();
      assertEquals(List.of(), sql.claim(worker, 1, 2, queue, 10));
      assertEquals("0", database.sql("SELECT count(*) FROM workflows"));
    }
  }

  /** C103: success is an attempt's, and the child starts after it. */
  @Test
  void aJobThatComesAgainTwentyTimesHasNotSucceeded() throws SQLException {
    Flow flow = flow("cancel").job("a").job("b", "a");
    try (Connection worker = sql.asWorker()) {
      for (int i = 0; i < 20; i++) {
        flow.end(worker, i % 2 == 0 ? "snoozed" : "released", "a");
        database.sql("SELECT count(*) FROM promote_due(10)");
        assertEquals("a=ready b=blocked", flow.shown());
      }
      flow.end(worker, "succeeded", "a");
      flow.end(worker, "succeeded", "b");
    }
    assertEquals(
        "true",
        database.sql(
            "SELECT (b.started_at >= a.finished_at AND a.started_at IS NOT NULL AND a.lease_token IS NOT NULL)::text FROM finished_jobs a, finished_jobs b WHERE a.id = %d AND b.id = %d"
                .formatted(flow.id("a"), flow.id("b"))));
  }

  /** Made by a schedule, a workflow has its joins, gates, deadline and callbacks too. */
  @Test
  void aScheduledWorkflowHasAllOfIt() throws SQLException {
    database.sql(
        """
        INSERT INTO schedules (project_id, name, kind, every_ms, anchor, template, state, next_fire_at, workflow)
        VALUES (%1$d, 's', 'interval', 60000, clock_timestamp(), 'workflow', 'active', clock_timestamp() + interval '1 day',
          '{"name": "nightly", "deadlineMs": 60000,
            "callbacks": {"completion": {"type": "tell", "queueId": %2$d, "payload": {"s": "{{schedule}}", "w": "{{workflowState}}"}}},
            "jobs": [{"key": "start", "type": "gate", "queueId": %2$d, "gate": "join"},
                     {"key": "a", "type": "echo", "queueId": %2$d, "expectedMs": 5},
                     {"key": "b", "type": "echo", "queueId": %2$d, "join": "all_done"}],
            "edges": [{"parent": "start", "child": "a"}, {"parent": "a", "child": "b"}]}')
        """
            .formatted(project, queue));
    as(
        Role.API,
        "outcome FROM jobs.trigger_schedule(%d, (SELECT id FROM jobs.schedules), 'ann', NULL, NULL)"
            .formatted(project));
    try (Connection worker = sql.asWorker()) {
      database.sql("SELECT count(*) FROM release_pending(100)");
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 5), "dead");
      sql.settle(worker, 1, sql.claim(worker, 1, 2, queue, 5), "succeeded");
    }
    as(Role.SCHEDULER, "count(*) FROM jobs.finish_workflows(10)");
    assertEquals(
        "nightly failed true",
        database.sql(
            "SELECT concat_ws(' ', name, final_state, (deadline_at > created_at)::text) FROM workflows"));
    assertEquals(
        "{\"s\": \"s\", \"w\": \"failed\"}",
        database.sql("SELECT payload FROM jobs WHERE type = 'tell'"));
    assertEquals("5", database.sql("SELECT max(expected_ms) FROM workflow_members"));
  }
}
