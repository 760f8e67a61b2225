package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

class CancelPgTest {
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
    sql.worker(2);
  }

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  private Map<Long, String> cancel(List<Long> ids) throws SQLException {
    return cancel(project, ids);
  }

  private Map<Long, String> cancel(int of, List<Long> ids) throws SQLException {
    try (Connection api = database.connect(Role.API);
        PreparedStatement statement =
            api.prepareStatement(
                "SELECT id, verdict || ' ' || state || coalesce(' ' || worker_id, '')"
                    + " FROM jobs.cancel_jobs(?, ?, 'ann@example.org', 'not wanted')")) {
      statement.setInt(1, of);
      statement.setArray(2, api.createArrayOf("bigint", ids.toArray()));
      Map<Long, String> verdicts = new TreeMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          assertEquals(null, verdicts.put(row.getLong(1), row.getString(2)), "one row per job");
        }
      }
      return verdicts;
    }
  }

  private Future<Map<Long, String>> cancelMeanwhile(List<Long> ids) {
    return other.submit(() -> cancel(ids));
  }

  /** The canceller waits for the lock, or looks again and again, and has not answered. */
  private void awaitCanceller(Future<?> answer) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Connection admin = database.superuser();
        PreparedStatement statement =
            admin.prepareStatement(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%cancel_jobs(%'"
                    + " AND datname = current_database() AND pid <> pg_backend_pid()"
                    + " AND state = 'active' AND wait_event IN ('PgSleep', 'advisory')")) {
      boolean seen = false;
      while (!seen) {
        assertEquals(false, answer.isDone(), "answered while another held the row");
        assertEquals(true, System.nanoTime() < deadline, "no canceller seen");
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          seen = row.getLong(1) > 0;
        }
      }
    }
  }

  private String finished(long id) {
    return database.sql(
        "SELECT concat_ws(' ', state, state_reason, error_kind) FROM finished_jobs WHERE id = "
            + id);
  }

  @Test
  void waitingJobsOfEveryKindAreCancelledAtOnce() throws SQLException {
    List<Long> ids = sql.ready(queue, 3);
    database.sql(
        "UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 day' WHERE id = "
            + ids.get(0));
    database.sql(
        "UPDATE jobs SET state = 'retrying', run_at = now(), attempt = 1 WHERE id = " + ids.get(1));
    database.sql(
        "INSERT INTO job_progress (job_id, lease_token, fraction) VALUES ("
            + ids.get(1)
            + ", 1, 1)");
    assertEquals(
        List.of("cancelled cancelled", "cancelled cancelled", "cancelled cancelled"),
        List.copyOf(cancel(ids).values()));
    assertEquals("cancelled cancel-requested cancelled", finished(ids.get(2)));
    assertEquals(
        "cancelled by ann@example.org: not wanted",
        database.sql("SELECT error_message FROM finished_jobs LIMIT 1"));
    assertEquals("0", database.sql("SELECT count(*) FROM job_progress"));
  }

  @Test
  void runningJobGetsARequestAndTheAnswerNamesItsWorker() throws SQLException {
    long id = sql.ready(queue, 1).get(0);
    try (Connection worker = sql.asWorker()) {
      sql.claim(worker, 1, 1, queue, 1);
      assertEquals(Map.of(id, "cancel_requested running 1"), cancel(List.of(id)));
      assertEquals(Map.of(id, "cancel_requested running 1"), cancel(List.of(id)), "again");
      assertEquals(
          id + " 1 ann@example.org not wanted",
          database.sql(
              "SELECT concat_ws(' ', job_id, worker_id, requested_by, reason) FROM cancel_requests"));
    }
  }

  @Test
  void endedJobIsReportedWithItsStateAndForeignOnesNotAtAll() throws SQLException {
    List<Long> ids = sql.ready(queue, 2);
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "succeeded");
    }
    assertEquals(Map.of(ids.get(0), "ended succeeded"), cancel(List.of(ids.get(0), 987_654L)));
    int stranger = sql.project("other");
    assertEquals(Map.of(), cancel(stranger, ids));
    assertEquals("ready", sql.state(ids.get(1)));
  }

  @Test
  void jobThatAClaimInFlightHasLockedIsLookedAtAgain() throws Exception {
    List<Long> ids = sql.ready(queue, 2);
    try (Connection worker = sql.asWorker()) {
      worker.setAutoCommit(false);
      long claimed = sql.claim(worker, 1, 1, queue, 1).get(0).id();
      Future<Map<Long, String>> answer = cancelMeanwhile(ids);
      awaitCanceller(answer);
      worker.commit();
      assertEquals(
          Map.of(claimed, "cancel_requested running 1", ids.get(1), "cancelled cancelled"),
          answer.get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void jobWhoseSettleIsInFlightIsReportedAsItEnded() throws Exception {
    long id = sql.ready(queue, 1).get(0);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      worker.setAutoCommit(false);
      sql.settle(worker, 1, claimed, "succeeded");
      Future<Map<Long, String>> answer = cancelMeanwhile(List.of(id));
      awaitCanceller(answer);
      worker.commit();
      assertEquals(Map.of(id, "ended succeeded"), answer.get(10, TimeUnit.SECONDS));
      assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
    }
  }

  /** Otherwise the request would outlive the job, and its answer be wrong. */
  @Test
  void settleDoesNotEndAJobWhileItsRequestIsNotYetCommitted() throws SQLException {
    long id = sql.ready(queue, 1).get(0);
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      api.setAutoCommit(false);
      api.createStatement()
          .execute("SELECT jobs.cancel_jobs(%d, '{%d}', 'ann', NULL)".formatted(project, id));
      assertEquals("busy", sql.settle(worker, 1, claimed, "failed").get(0).verdict());
      api.commit();
      assertEquals("cancelled", sql.settle(worker, 1, claimed, "failed").get(0).state());
      assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
    }
  }

  @Test
  void userWhoHoldsTheLeaseDoesNotHoldUpTheRequest() throws SQLException {
    long id = sql.ready(queue, 1).get(0);
    try (Connection worker = sql.asWorker();
        Connection user = database.connect(Role.API)) {
      Sql.Claimed job = sql.claim(worker, 1, 1, queue, 1).get(0);
      user.setAutoCommit(false);
      user.createStatement().execute("SELECT jobs.assert_lease(%d, %d)".formatted(id, job.token()));
      assertEquals(Map.of(id, "cancel_requested running 1"), cancel(List.of(id)));
      user.commit();
    }
  }

  @Test
  void childrenOfACancelledJobAreDecided() throws SQLException {
    List<Long> ids = sql.ready(queue, 3);
    database.sql(
        "INSERT INTO workflows (project_id, name, job_count) VALUES (%d, 'w', 3)"
            .formatted(project));
    database.sql("UPDATE jobs SET workflow_id = 1, has_dependents = true WHERE id = " + ids.get(0));
    database.sql(
        "UPDATE jobs SET workflow_id = 1, has_dependencies = true, state = 'blocked', ready_at = NULL"
            + " WHERE id <> "
            + ids.get(0));
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome) VALUES (%2$d, %1$d, 1,"
                .formatted(ids.get(0), ids.get(1))
            + " 'success'), (%2$d, %1$d, 1, 'failure')".formatted(ids.get(0), ids.get(2)));
    assertEquals(Map.of(ids.get(0), "cancelled cancelled"), cancel(List.of(ids.get(0))));
    assertEquals("skipped", sql.state(ids.get(1)));
    assertEquals("ready", sql.state(ids.get(2)));
  }

  @Test
  void workflowBeingOperatedOnIsWaitedForBeforeAnyRowIsLocked() throws Exception {
    long id = sql.ready(queue, 1).get(0);
    database.sql(
        "INSERT INTO workflows (project_id, name, job_count) VALUES (%d, 'w', 1)"
            .formatted(project));
    database.sql("UPDATE jobs SET workflow_id = 1");
    try (Connection planner = database.connect(Role.OWNER)) {
      planner.setAutoCommit(false);
      planner.createStatement().execute("SELECT pg_advisory_xact_lock(2, 1)");
      Future<Map<Long, String>> answer = cancelMeanwhile(List.of(id));
      awaitCanceller(answer);
      planner.createStatement().execute("SELECT 1 FROM jobs.jobs FOR UPDATE NOWAIT");
      planner.commit();
      assertEquals(Map.of(id, "cancelled cancelled"), answer.get(10, TimeUnit.SECONDS));
    }
  }
}
