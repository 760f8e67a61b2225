package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that are added to a workflow while it runs. */
class GrowthPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private int queue;
  private Flow flow;

  @BeforeEach
  void workflow() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
    flow = new Flow(database, sql, project, queue, "cancel").job("a").job("z", "a");
  }

  private static String jobs(String... keys) {
    StringBuilder json = new StringBuilder("[");
    for (String key : keys) {
      json.append(json.length() > 1 ? "," : "")
          .append("{\"key\":\"")
          .append(key)
          .append("\",\"type\":\"echo\",\"payload\":{\"n\": 1.50},\"expectedMs\":7}");
    }
    return json.append(']').toString();
  }

  private static Map<String, String> verdicts(ResultSet rows) throws SQLException {
    Map<String, String> verdicts = new TreeMap<>();
    while (rows.next()) {
      String ready = rows.getInt(3) > 0 ? " ready" : "";
      verdicts.put(String.valueOf(rows.getString(2)), rows.getString(1) + ready);
    }
    return verdicts;
  }

  private Map<String, String> grow(
      Connection worker, Sql.Claimed by, String jobs, String[]... edges) throws SQLException {
    try (PreparedStatement statement =
        worker.prepareStatement(
            "SELECT verdict, key, queue_id FROM jobs.grow_workflow(1, ?, ?, ?::json, ?, ?, ?)")) {
      statement.setLong(1, by.id());
      statement.setLong(2, by.token());
      statement.setString(3, jobs);
      bind(worker, statement, 4, 0, edges);
      bind(worker, statement, 5, 1, edges);
      bind(worker, statement, 6, 2, edges);
      return verdicts(statement.executeQuery());
    }
  }

  private Map<String, String> add(String jobs, String[]... edges) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      return add(api, project, jobs, edges);
    }
  }

  private Map<String, String> add(Connection api, int of, String jobs, String[]... edges)
      throws SQLException {
    try (PreparedStatement statement =
        api.prepareStatement(
            "SELECT verdict, key, queue_id FROM jobs.add_members(?, ?, ?::json, ?, NULL, ?, ?)")) {
      statement.setInt(1, of);
      statement.setInt(2, flow.id);
      statement.setString(3, jobs);
      bind(api, statement, 4, 0, edges);
      bind(api, statement, 5, 1, edges);
      bind(api, statement, 6, 2, edges);
      return verdicts(statement.executeQuery());
    }
  }

  private static void bind(
      Connection connection, PreparedStatement statement, int at, int part, String[]... edges)
      throws SQLException {
    Object[] values = new Object[edges.length];
    for (int i = 0; i < edges.length; i++) {
      values[i] = edges[i][part];
    }
    statement.setArray(at, connection.createArrayOf("text", values));
  }

  private static String[] edge(String from, String to) {
    return new String[] {from, to, "success"};
  }

  @Test
  void aRunningJobAddsJobsThatWaitForIt() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed a = flow.claim(worker, 1).get(0);
      assertEquals(
          Map.of("b", "added", "c", "added"), grow(worker, a, jobs("b", "c"), edge("b", "c")));
      assertEquals("a=running b=blocked c=blocked z=blocked", flow.shown());
      sql.settle(worker, 1, List.of(a), "succeeded");
      assertEquals("a=succeeded b=ready c=blocked z=ready", flow.shown());
      assertEquals("{\"n\": 1.50}", flow.column("b", "payload::text"));
      assertEquals(
          "4 true 7",
          database.sql(
              "SELECT w.job_count || ' ' || (w.planned_at IS NULL) || ' ' || m.expected_ms FROM"
                  + " workflows w JOIN workflow_members m ON m.workflow_id = w.id AND m.key ="
                  + " 'b'"));
      flow.end(worker, "succeeded", "b", "z").end(worker, "succeeded", "c");
      assertEquals("succeeded", flow.status());
    }
  }

  /** A zombie's idea of the work is void: its successor has its own. */
  @Test
  void aStaleLeaseAddsNothing() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed a = flow.claim(worker, 1).get(0);
      sql.settle(worker, 1, List.of(a), "released");
      Sql.Claimed again = flow.claim(worker, 1).get(0);
      assertEquals(Map.of("null", "lease-lost"), grow(worker, a, jobs("b")));
      assertEquals(Map.of("b", "added"), grow(worker, again, jobs("b")));
      sql.settle(worker, 1, List.of(again), "succeeded");
      assertEquals(Map.of("null", "lease-lost"), grow(worker, again, jobs("c")));
      assertEquals("a=succeeded b=ready z=ready", flow.shown());
    }
  }

  @Test
  void onlyDownstreamOfItselfAndOnlyNewKeys() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed a = flow.claim(worker, 1).get(0);
      assertEquals(Map.of("z", "not-downstream"), grow(worker, a, jobs("b"), edge("b", "z")));
      assertEquals(
          Map.of("b", "not-downstream"),
          grow(worker, a, jobs("b", "c"), edge("b", "c"), edge("c", "b")));
      assertEquals(Map.of("b", "not-downstream"), grow(worker, a, jobs("b"), edge("b", "b")));
      assertEquals(Map.of("z", "duplicate-key"), grow(worker, a, jobs("b", "z")));
      assertEquals(Map.of("b", "duplicate-key"), grow(worker, a, jobs("b", "b")));
      assertEquals(
          Map.of("nobody", "unknown-key"), grow(worker, a, jobs("b"), edge("nobody", "b")));
      assertEquals(
          Map.of("absent", "unknown-queue"),
          grow(worker, a, "[{\"key\":\"b\",\"type\":\"t\",\"queue\":\"absent\"}]"));
      assertEquals("a=running z=blocked", flow.shown());
      assertEquals("2", database.sql("SELECT job_count FROM workflows"));
    }
  }

  /** The parent's outcome is read after it was locked, wherever it is. */
  @Test
  void anEdgeFromAnEndedParentKnowsItsOutcome() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      flow.job("bad").end(worker, "dead", "bad").end(worker, "succeeded", "a");
      assertEquals(
          Map.of("x", "added ready", "y", "added", "v", "added ready"),
          add(
              jobs("v", "x", "y"),
              edge("a", "x"),
              edge("bad", "y"),
              edge("v", "y"),
              new String[] {"bad", "v", "failure"}));
      assertEquals("a=succeeded bad=dead v=ready x=ready y=skipped z=ready", flow.shown());
    }
  }

  @Test
  void aWorkflowWhoseDeadlineHasPassedTakesNoMore() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed a = flow.claim(worker, 1).get(0);
      database.sql("UPDATE workflows SET deadline_at = clock_timestamp()");
      assertEquals(Map.of("null", "overdue"), add(jobs("b")));
      assertEquals(Map.of("null", "overdue"), grow(worker, a, jobs("b")));
      database.sql(
          "UPDATE workflows SET deadline_at = '2099-01-01', deadline_passed_at = clock_timestamp()");
      assertEquals(Map.of("null", "overdue"), add(jobs("b")));
      assertEquals("a=running z=blocked", flow.shown());
    }
  }

  /** Its time runs from when its edges are met, the new one too. */
  @Test
  void anOpenGateThatGetsAnotherEdgeHasItsTimeAnew() throws SQLException {
    flow.gate("t", "time", "{\"waitMs\":3600000}")
        .gate("ok", "approval", "{\"expiresInMs\":3600000}");
    database.sql("SELECT release_children(ARRAY[%d, %d])".formatted(flow.id("t"), flow.id("ok")));
    assertEquals("t", flow.column("t", "state = 'scheduled' AND run_at IS NOT NULL"));
    assertEquals("t", flow.column("ok", "ready_at IS NOT NULL AND start_by IS NOT NULL"));
    try (Connection worker = sql.asWorker()) {
      flow.job("done").end(worker, "succeeded", "done");
    }
    String runAt = flow.column("t", "run_at");
    String startBy = flow.column("ok", "start_by");
    assertEquals(Map.of(), add("[]", edge("done", "t"), edge("done", "ok")));
    assertEquals(runAt, flow.column("t", "run_at"));
    assertEquals(startBy, flow.column("ok", "start_by"));
    assertEquals(Map.of(), add("[]", edge("a", "t"), edge("a", "ok")));
    assertEquals("t", flow.column("t", "state = 'blocked' AND run_at IS NULL"));
    assertEquals(
        "t", flow.column("ok", "state = 'blocked' AND ready_at IS NULL AND start_by IS NULL"));
  }

  /** As the children of before: what was skipped by hand counts as if it had not been there. */
  @Test
  void anEdgeFromASkippedParentIsToldWhatOlderOnesWere() throws SQLException {
    flow.job("byhand").job("c").edge("byhand", "c", "failure");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      api.createStatement()
          .execute(
              "SELECT jobs.end_member(%d, %d, %d, 'skipped', NULL, 'by ann')"
                  .formatted(project, flow.id, flow.id("byhand")));
      flow.drain();
    }
    assertEquals(
        Map.of("x", "added ready", "y", "added"),
        add(jobs("x", "y"), edge("byhand", "x"), edge("c", "y")));
    assertEquals("dependency-skipped", flow.column("c", "state_reason"));
    assertEquals("dependency-skipped", flow.column("y", "state_reason"));
  }

  /** Of two that hold it shared, neither could write that it has children. */
  @Test
  void aParentThatGetsChildrenFromTwoAtOnceIsMarked() throws Exception {
    long parent = sql.ready(queue, 1).get(0);
    Flow other = new Flow(database, sql, project, queue, "cancel").job("a");
    List<CompletableFuture<Void>> both = new ArrayList<>();
    try (Connection owner = database.connect(Role.OWNER)) {
      owner.setAutoCommit(false);
      // Both have locked the parent, as far as they can, when they come to store their jobs.
      owner.createStatement().execute("LOCK TABLE jobs.workflow_members IN SHARE MODE");
      for (int id : List.of(flow.id, other.id)) {
        both.add(CompletableFuture.runAsync(() -> waitFor(parent, id)));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (sql.number("SELECT count(*) FROM pg_locks WHERE NOT granted") < 2) {
        assertTrue(System.nanoTime() < end, "they do not wait");
      }
      owner.commit();
    }
    for (CompletableFuture<Void> one : both) {
      one.get(30, TimeUnit.SECONDS);
    }
    assertEquals(
        "2", database.sql("SELECT count(*) FROM dependencies WHERE parent_id = " + parent));
    assertEquals("t", database.sql("SELECT has_dependents FROM jobs WHERE id = " + parent));
  }

  /** Adds a job that waits for {@code parent}, however long the lock that it meets is held. */
  private void waitFor(long parent, int workflow) {
    try (Connection api = database.connect(Role.API)) {
      for (int tries = 1; ; tries++) {
        try {
          api.createStatement()
              .execute(
                  "SELECT jobs.add_members(%d, %d, '%s', '{NULL}', '{%d}', '{n}', '{success}')"
                      .formatted(project, workflow, jobs("n"), parent));
          return;
        } catch (SQLException e) {
          if (tries == 20 || !"55P03".equals(e.getSQLState())) {
            throw e;
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A job that had no children when it ended: its row does not say that it has one now. */
  @Test
  void aParentThatGotAChildAfterItsEndHoldsItBackWhenItRunsAgain() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      flow.job("alone").end(worker, "succeeded", "alone");
      assertEquals(Map.of("b", "added ready"), add(jobs("b"), edge("alone", "b")));
      api.createStatement()
          .execute(
              "SELECT jobs.rerun_members(%d, %d, '{%d}')"
                  .formatted(project, flow.id, flow.id("alone")));
      assertEquals("blocked", flow.states().get("b"));
    }
  }

  @Test
  void aWaitingMemberGetsAnotherEdgeAndAStartedOneDoesNot() throws SQLException {
    flow.job("free");
    assertEquals(Map.of("alone", "added ready"), add(jobs("alone")));
    database.sql("DELETE FROM jobs WHERE workflow_key = 'alone'");
    assertEquals(Map.of("b", "added ready"), add(jobs("b"), edge("b", "free"), edge("b", "z")));
    assertEquals("a=ready b=ready free=blocked z=blocked", flow.shown());
    try (Connection worker = sql.asWorker()) {
      flow.end(worker, "succeeded", "a");
      assertEquals("blocked", flow.states().get("z"));
      List<Sql.Claimed> b = flow.claim(worker, 1);
      assertEquals(Map.of("b", "started"), add(jobs("c"), edge("c", "b")));
      assertEquals(Map.of("a", "started"), add(jobs("c"), edge("c", "a")));
      assertEquals(4, flow.states().size());
      sql.settle(worker, 1, b, "succeeded");
      assertEquals("a=succeeded b=succeeded free=ready z=ready", flow.shown());
    }
  }

  @Test
  void aWorkflowThatHasEndedOrWasCancelledTakesNoMore() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      assertEquals(Map.of("null", "absent"), add(api, sql.project("other"), jobs("b")));
      List<Sql.Claimed> a = flow.claim(worker, 1);
      api.createStatement()
          .execute("SELECT jobs.cancel_workflow(%d, %d, 'ann', 'no')".formatted(project, flow.id));
      assertEquals(Map.of("null", "cancelled"), add(jobs("b")));
      assertEquals(Map.of("null", "cancelled"), grow(worker, a.get(0), jobs("b")));
      sql.settle(worker, 1, a, "succeeded");
      // Nobody has noted the end yet.
      assertEquals(Map.of("null", "finished"), add(jobs("b")));
      database.sql("SELECT finish_workflows(10)");
      assertEquals(Map.of("null", "finished"), add(jobs("b")));
      assertEquals("a=succeeded z=cancelled", flow.shown());
    }
  }

  /**
   * Its children are then told by the sweep: the row that an assert_lease holds is not waited for.
   */
  @Test
  void aJobGrowsWhileItsUserHoldsItsLease() throws SQLException {
    flow = new Flow(database, sql, project, queue, "cancel").job("only");
    database.sql("UPDATE jobs SET state = 'blocked' WHERE workflow_key = 'a'");
    try (Connection worker = sql.asWorker();
        Connection user = sql.asWorker()) {
      Sql.Claimed only = flow.claim(worker, 1).get(0);
      user.setAutoCommit(false);
      user.createStatement()
          .execute("SELECT jobs.assert_lease(%d, %d)".formatted(only.id(), only.token()));
      assertEquals(Map.of("b", "added"), grow(worker, only, jobs("b")));
      user.commit();
      sql.settle(worker, 1, List.of(only), "succeeded");
      database.sql("SELECT sweep_blocked(0, 100)");
      flow.drain();
      assertEquals("b=ready only=succeeded", flow.shown());
    }
  }

  @Test
  void fiveThousandJobsAreAddedAtOnceUpToTheMost() throws SQLException {
    String[] keys = new String[5_000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "k" + i;
    }
    database.sql("UPDATE workflows SET job_count = 15000");
    assertEquals(5_000, add(jobs(keys), edge("a", "k1")).size());
    assertEquals(Map.of("null", "too-large"), add(jobs("more")));
    assertTrue(flow.states().size() == 5_002);
  }
}
