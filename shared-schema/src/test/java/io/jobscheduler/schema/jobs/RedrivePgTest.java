package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedrivePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ExecutorService other = Executors.newSingleThreadExecutor();
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

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  private Map<Long, String> redrive(int of, List<Long> ids, String... states) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      return redrive(api, of, ids, states);
    }
  }

  private static Map<Long, String> redrive(Connection api, int of, List<Long> ids, String... states)
      throws SQLException {
    try (PreparedStatement statement =
        api.prepareStatement(
            "SELECT id, verdict || ' ' || state FROM jobs.redrive_jobs(?, ?, ?)")) {
      statement.setInt(1, of);
      statement.setArray(2, api.createArrayOf("bigint", ids.toArray()));
      statement.setArray(3, api.createArrayOf("text", states));
      return verdicts(statement);
    }
  }

  private Map<Long, String> runNow(int of, List<Long> ids) throws SQLException {
    try (Connection api = database.connect(Role.API);
        PreparedStatement statement =
            api.prepareStatement(
                "SELECT id, verdict || ' ' || state FROM jobs.run_jobs_now(?, ?)")) {
      statement.setInt(1, of);
      statement.setArray(2, api.createArrayOf("bigint", ids.toArray()));
      return verdicts(statement);
    }
  }

  private static Map<Long, String> verdicts(PreparedStatement statement) throws SQLException {
    Map<Long, String> verdicts = new TreeMap<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        assertEquals(null, verdicts.put(row.getLong(1), row.getString(2)), "one row per job");
      }
    }
    return verdicts;
  }

  private Future<Map<Long, String>> redriveMeanwhile(List<Long> ids, String... states) {
    return other.submit(() -> redrive(project, ids, states));
  }

  /** Until the redrive waits for a lock of another. */
  private void awaitWaiting(Future<?> answer) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Connection admin = database.superuser();
        PreparedStatement statement =
            admin.prepareStatement(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%redrive_jobs(%'"
                    + " AND datname = current_database() AND pid <> pg_backend_pid()"
                    + " AND wait_event_type = 'Lock'")) {
      boolean seen = false;
      while (!seen) {
        assertEquals(false, answer.isDone(), "answered while another held the lock");
        assertTrue(System.nanoTime() < deadline, "the redrive does not wait");
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          seen = row.getLong(1) > 0;
        }
      }
    }
  }

  private int workflow() {
    return sql.number(
        "INSERT INTO workflows (project_id, name, job_count) VALUES (%d, 'w', 0) RETURNING id"
            .formatted(project));
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

  private long run(Connection worker, String outcome) throws SQLException {
    List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
    sql.settle(worker, 1, claimed, outcome);
    return claimed.get(0).id();
  }

  private void drain() {
    while ("more"
        .equals(database.sql("SELECT kind FROM release_pending(200) WHERE kind = 'more'"))) {
      // until nothing is pending
    }
  }

  private String row(String columns, long id) {
    return database.sql(
        "SELECT concat_ws(' ', %s) FROM all_jobs WHERE id = %d".formatted(columns, id));
  }

  @Test
  void keepsIdPriorityPayloadAndHistoryInANewGeneration() throws SQLException {
    long id = sql.ready(queue, 7, 1).get(0);
    database.sql(
        "UPDATE jobs SET payload = '{\"a\": 1e2}', max_attempts = 2, cost = 3, concurrency_key ="
            + " 'k', start_by = now() + interval '1 day', timeout_ms = 9, retry_policy = '{}'");
    try (Connection worker = sql.asWorker()) {
      for (int round = 0; round < 2; round++) {
        run(worker, "failed");
        database.sql("UPDATE jobs SET run_at = now() - interval '1 s'");
        database.sql("SELECT promote_due(10)");
        run(worker, "failed");
        assertEquals("dead", sql.state(id));
        assertEquals(Map.of(id, "moved ready"), redrive(project, List.of(id), "dead"));
      }
    }
    assertEquals(
        "ready 7 7 0 2 4 2 {\"a\": 1e2} 3 k 9 {}",
        row(
            "state, priority, (SELECT dispatch_lane FROM jobs), attempt, generation, attempt_rows,"
                + " max_attempts, payload, start_by, cost, concurrency_key, timeout_ms,"
                + " retry_policy",
            id));
    assertEquals(
        "0/1 failed, 0/2 dead, 1/1 failed, 1/2 dead",
        database.sql(
            "SELECT string_agg(generation || '/' || attempt || ' ' || outcome, ', ' ORDER BY"
                + " lease_token) FROM attempts WHERE ended_at IS NOT NULL AND started_at IS NOT"
                + " NULL AND worker_id = 1"));
    assertEquals("0", database.sql("SELECT count(*) FROM finished_attempts"));
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
    }
    assertEquals("4", database.sql("SELECT count(*) FROM finished_attempts"));
    assertEquals("0", database.sql("SELECT count(*) FROM attempts"));
    assertEquals("succeeded 1 2", row("state, attempt, generation", id));
  }

  @Test
  void aJobThatEndedWithoutAnAttemptGetsNoRowForOne() throws SQLException {
    List<Long> ids = sql.ready(queue, 2);
    database.sql(
        "UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 day' WHERE id = "
            + ids.get(0));
    database.sql("SELECT cancel_jobs(%d, '{%d}', 'ann', NULL)".formatted(project, ids.get(0)));
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "expired");
    }
    assertEquals(
        Map.of(ids.get(0), "moved ready", ids.get(1), "moved ready"),
        redrive(project, ids, "cancelled"));
    assertEquals(
        "ready 0 1 0", row("state, attempt, generation, attempt_rows, run_at", ids.get(0)));
    assertEquals(
        "ready 0 1 0", row("state, attempt, generation, attempt_rows, run_at", ids.get(1)));
    assertEquals("0", database.sql("SELECT count(*) FROM attempts"));
  }

  @Test
  void movesOnlyTheStatesAskedForAndOnlyOfItsProject() throws SQLException {
    List<Long> ids = sql.ready(queue, 3);
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      run(worker, "dead");
    }
    int stranger = sql.project("other");
    assertEquals(Map.of(), redrive(stranger, ids, "dead", "succeeded"));
    assertEquals(
        Map.of(
            ids.get(0), "kept succeeded",
            ids.get(1), "moved ready",
            ids.get(2), "live ready"),
        redrive(
            project, List.of(ids.get(0), ids.get(1), ids.get(2), 987_654L, ids.get(1)), "dead"));
  }

  @Test
  void ofTwoRedrivesOneMovesTheJobAndTheOtherFindsItLive() throws Exception {
    long id = sql.ready(queue, 1).get(0);
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      run(worker, "dead");
      api.setAutoCommit(false);
      assertEquals(Map.of(id, "moved ready"), redrive(api, project, List.of(id), "dead"));
      Future<Map<Long, String>> second = redriveMeanwhile(List.of(id), "dead");
      awaitWaiting(second);
      api.commit();
      assertEquals(Map.of(id, "live ready"), second.get(10, TimeUnit.SECONDS));
      assertEquals("1", database.sql("SELECT count(*) FROM all_jobs"));
    }
  }

  /** I5: whatever un-finishes a parent re-blocks its waiting children. */
  @Test
  void waitingChildrenWaitAgainAndAreReleasedOnce() throws SQLException {
    int flow = workflow();
    long parent = job(flow, "ready");
    long ready = job(flow, "blocked");
    long retrying = job(flow, "blocked");
    long scheduled = job(flow, "blocked");
    List<Long> children = List.of(ready, retrying, scheduled);
    children.forEach(child -> edge(flow, parent, child, "success"));
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      database.sql("UPDATE jobs SET state = 'retrying', run_at = now() WHERE id = " + retrying);
      database.sql("UPDATE jobs SET state = 'scheduled', run_at = now() WHERE id = " + scheduled);
      assertEquals(Map.of(parent, "moved ready"), redrive(project, List.of(parent), "succeeded"));
      for (long child : children) {
        assertEquals("blocked", sql.state(child));
      }
      assertEquals(parent, run(worker, "succeeded"));
      for (long child : children) {
        assertEquals("ready", sql.state(child));
      }
    }
  }

  @Test
  void aChildThatAClaimInFlightGotRunsOnAndKeepsTheOutcomeItStartedWith() throws Exception {
    int flow = workflow();
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      worker.setAutoCommit(false);
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 2, queue, 1);
      Future<Map<Long, String>> answer = redriveMeanwhile(List.of(parent), "succeeded");
      awaitWaiting(answer);
      worker.commit();
      assertEquals(Map.of(parent, "moved ready"), answer.get(10, TimeUnit.SECONDS));
      worker.setAutoCommit(true);
      assertEquals("running", sql.state(child));
      assertEquals("true", database.sql("SELECT met::text FROM dependencies"));
      // Its retry is not stranded behind the parent.
      sql.settle(worker, 1, claimed, "failed");
      database.sql("UPDATE jobs SET run_at = now() WHERE state = 'retrying'");
      database.sql("SELECT promote_due(10)");
      assertEquals(2, sql.claim(worker, 1, 3, queue, 10).size());
    }
  }

  @Test
  void aRedrivenJobWaitsForParentsThatAreLive() throws SQLException {
    int flow = workflow();
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "succeeded");
      run(worker, "dead");
      // Both in one call: the child was dead, and its parent is live again.
      assertEquals(
          Map.of(parent, "moved ready", child, "moved blocked"),
          redrive(project, List.of(child, parent), "dead", "succeeded"));
      assertEquals(1, sql.claim(worker, 1, 9, queue, 10).size());
    }
  }

  @Test
  void skippedChildrenStayAndComeBackOnceTheirParentIsLive() throws SQLException {
    int flow = workflow();
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "dead");
      drain();
      assertEquals("skipped", sql.state(child));
      assertEquals(Map.of(child, "unmet skipped"), redrive(project, List.of(child), "skipped"));
      redrive(project, List.of(parent), "dead");
      assertEquals("skipped", sql.state(child));
      assertEquals(Map.of(child, "moved blocked"), redrive(project, List.of(child), "skipped"));
      run(worker, "succeeded");
      assertEquals("ready", sql.state(child));
    }
  }

  /** The edge kept the first end, and nobody told it of the second. */
  @Test
  void aSkippedChildComesBackAfterItsParentHasSucceededInASecondRun() throws SQLException {
    int flow = workflow();
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      run(worker, "dead");
      drain();
      redrive(project, List.of(parent), "dead");
      run(worker, "succeeded");
      assertEquals(Map.of(child, "moved ready"), redrive(project, List.of(child), "skipped"));
    }
  }

  @Test
  void whatWasStillToBeToldIsVoid() throws SQLException {
    int flow = workflow();
    long parent = job(flow, "ready");
    long child = job(flow, "blocked");
    edge(flow, parent, child, "success");
    try (Connection worker = sql.asWorker()) {
      // As if the fan had been too wide for the settle.
      database.sql("UPDATE jobs SET has_dependents = false WHERE id = " + parent);
      run(worker, "dead");
      database.sql("UPDATE finished_jobs SET has_dependents = true");
      database.sql("INSERT INTO pending_releases VALUES (%d, 'dead')".formatted(parent));
      redrive(project, List.of(parent), "dead");
      drain();
      assertEquals("blocked", sql.state(child));
      run(worker, "succeeded");
      assertEquals("ready", sql.state(child));
    }
  }

  /** Otherwise the workflow would be finished for ever, with a live job. */
  @Test
  void theWorkflowGoesOnEvenIfItsEndIsJustBeingNoted() throws Exception {
    int flow = workflow();
    long id = job(flow, "ready");
    try (Connection worker = sql.asWorker();
        Connection leader = database.connect(Role.SCHEDULER)) {
      run(worker, "dead");
      leader.setAutoCommit(false);
      leader.createStatement().execute("SELECT jobs.finish_workflows(10)");
      Future<Map<Long, String>> answer = redriveMeanwhile(List.of(id), "dead");
      awaitWaiting(answer);
      leader.commit();
      assertEquals(Map.of(id, "moved ready"), answer.get(10, TimeUnit.SECONDS));
      assertEquals(
          "running ",
          database.sql(
              "SELECT state || ' ' || coalesce(finished_at::text, '') FROM workflow_status"));
      run(worker, "succeeded");
      database.sql("SELECT finish_workflows(10)");
      assertEquals("succeeded", database.sql("SELECT final_state FROM workflows"));
    }
  }

  @Test
  void settlesOfTheWorkflowWaitForTheirNextFlushMeanwhile() throws SQLException {
    int flow = workflow();
    long dead = job(flow, "ready");
    job(flow, "ready");
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      run(worker, "dead");
      List<Sql.Claimed> running = sql.claim(worker, 1, 2, queue, 1);
      api.setAutoCommit(false);
      redrive(api, project, List.of(dead), "dead");
      assertEquals("busy", sql.settle(worker, 1, running, "succeeded").get(0).verdict());
      api.commit();
      assertEquals("settled", sql.settle(worker, 1, running, "succeeded").get(0).verdict());
    }
  }

  @Test
  void runNowMakesReadyWhatWaitsForItsTimeAndNothingElse() throws SQLException {
    List<Long> ids = sql.ready(queue, 4);
    database.sql(
        "UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 day' WHERE id = "
            + ids.get(0));
    database.sql(
        "UPDATE jobs SET state = 'retrying', state_reason = 'failed', attempt = 1,"
            + " run_at = now() + interval '1 day' WHERE id = "
            + ids.get(1));
    try (Connection worker = sql.asWorker()) {
      run(worker, "dead");
    }
    assertEquals(Map.of(), runNow(sql.project("other"), ids));
    assertEquals(
        Map.of(
            ids.get(0), "moved ready",
            ids.get(1), "moved ready",
            ids.get(2), "ended dead",
            ids.get(3), "live ready"),
        runNow(project, ids));
    assertEquals(
        "0",
        database.sql(
            "SELECT count(*) FROM jobs WHERE run_at > clock_timestamp() OR ready_at IS NULL"));
    assertEquals("1", row("attempt, state_reason", ids.get(1)));
  }
}
