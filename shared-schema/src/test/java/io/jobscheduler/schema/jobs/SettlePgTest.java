package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SettlePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    sql.worker(2);
  }

  private List<Sql.Claimed> claim(Connection worker, int count) throws SQLException {
    return sql.claim(worker, 1, 1, queue, count);
  }

  private static List<Sql.Verdict> verdicts(List<Sql.Claimed> jobs, String verdict, String state) {
    return jobs.stream().map(j -> new Sql.Verdict(j.id(), verdict, state)).toList();
  }

  @Test
  void successMovesTheRowAndWritesNoAttempt() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 1);
      assertEquals(
          verdicts(claimed, "settled", "succeeded"),
          sql.settle(worker, 1, claimed, "succeeded", "{\"n\": 1e2}"));
      assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
      assertEquals("0", database.sql("SELECT count(*) FROM attempts"));
      assertEquals(
          "succeeded {\"n\": 1e2} 1 " + claimed.get(0).token(),
          database.sql(
              "SELECT state || ' ' || result || ' ' || attempt || ' ' || lease_token FROM finished_jobs"));
    }
  }

  @Test
  void repeatedSettleIsASuccessSinceItsReplyMayHaveBeenLost() throws SQLException {
    sql.ready(queue, 3);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 3);
      for (String outcome : List.of("succeeded", "failed", "dead")) {
        List<Sql.Claimed> one = claimed.subList(0, 1);
        sql.settle(worker, 1, one, outcome);
        // Of a retry, whoever lost the reply learns again that it waits.
        String state = outcome.equals("failed") ? "retrying" : null;
        assertEquals(verdicts(one, "settled", state), sql.settle(worker, 1, one, outcome), outcome);
        claimed = claimed.subList(1, claimed.size());
      }
    }
  }

  @Test
  void anotherOutcomeOrAnotherWorkerAfterTheEndIsLeaseLost() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 1);
      sql.settle(worker, 1, claimed, "succeeded");
      assertEquals(verdicts(claimed, "lease_lost", null), sql.settle(worker, 1, claimed, "failed"));
      assertEquals(
          verdicts(claimed, "lease_lost", null), sql.settle(worker, 2, claimed, "succeeded"));
    }
  }

  @Test
  void staleTokenChangesNothing() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> stale = claim(worker, 1);
      sql.settle(worker, 1, stale, "released");
      List<Sql.Claimed> fresh = sql.claim(worker, 2, 1, queue, 1);
      assertEquals(verdicts(stale, "lease_lost", null), sql.settle(worker, 1, stale, "succeeded"));
      assertEquals("running", sql.state(stale.get(0).id()));
      assertEquals(
          verdicts(fresh, "settled", "succeeded"), sql.settle(worker, 2, fresh, "succeeded"));
    }
  }

  @Test
  void failureRetriesThenDiesAndTakesItsAttemptsAlong() throws SQLException {
    sql.ready(queue, 1);
    database.sql(
        "UPDATE jobs SET max_attempts = 3, retry_policy = '{\"strategy\": \"fixed\", \"baseSeconds\": 0}'");
    try (Connection worker = sql.asWorker()) {
      for (int attempt = 1; attempt <= 2; attempt++) {
        List<Sql.Claimed> claimed = claim(worker, 1);
        assertEquals(attempt, claimed.get(0).attempt());
        assertEquals(
            verdicts(claimed, "settled", "retrying"), sql.settle(worker, 1, claimed, "failed"));
        database.sql("SELECT promote_due(10)");
      }
      List<Sql.Claimed> last = claim(worker, 1);
      assertEquals(verdicts(last, "settled", "dead"), sql.settle(worker, 1, last, "failed"));
      assertEquals("0", database.sql("SELECT count(*) FROM attempts"));
      assertEquals(
          "1 failed, 2 failed",
          database.sql(
              "SELECT string_agg(attempt || ' ' || outcome, ', ' ORDER BY attempt) FROM finished_attempts"));
      assertEquals(
          "true",
          database.sql(
              """
              SELECT (f.retain_until = retention_today() + 30 AND a.retain_until = f.retain_until)::text
                FROM finished_jobs f JOIN finished_attempts a ON a.job_id = f.id LIMIT 1
              """));
    }
  }

  @Test
  void releaseGivesTheAttemptBackAndKeepsThePlace() throws SQLException {
    List<Long> ready = sql.ready(queue, 2);
    String key = database.sql("SELECT dispatch_key FROM jobs WHERE id = " + ready.get(0));
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 1);
      assertEquals(
          verdicts(claimed, "settled", "ready"), sql.settle(worker, 1, claimed, "released"));
      assertEquals(
          "0 " + key,
          database.sql(
              "SELECT attempt || ' ' || dispatch_key FROM jobs WHERE id = " + ready.get(0)));
      assertEquals(ready.get(0), claim(worker, 1).get(0).id());
    }
  }

  @Test
  void goesOnWithOtherRowsWhileAUserHoldsALease() throws SQLException {
    sql.ready(queue, 2);
    try (Connection worker = sql.asWorker();
        Connection user = database.connect(Role.API)) {
      List<Sql.Claimed> claimed = claim(worker, 2);
      Sql.Claimed held = claimed.get(0);
      user.setAutoCommit(false);
      user.createStatement()
          .execute("SELECT jobs.assert_lease(%d, %d)".formatted(held.id(), held.token()));
      assertEquals(
          "settled",
          sql.settle(worker, 1, claimed, "succeeded").stream()
              .filter(v -> v.id() == claimed.get(1).id())
              .findFirst()
              .orElseThrow()
              .verdict());
      assertEquals(
          verdicts(List.of(held), "busy", null), sql.settle(worker, 1, List.of(held), "succeeded"));
      user.commit();
      assertEquals(
          verdicts(List.of(held), "settled", "succeeded"),
          sql.settle(worker, 1, List.of(held), "succeeded"));
    }
  }

  @Test
  void assertLeaseRefusesALeaseThatEnded() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker();
        Connection user = database.connect(Role.API)) {
      Sql.Claimed job = claim(worker, 1).get(0);
      sql.settle(worker, 1, List.of(job), "succeeded");
      SQLException lost =
          assertThrows(
              SQLException.class,
              () ->
                  user.createStatement()
                      .execute(
                          "SELECT jobs.assert_lease(%d, %d)".formatted(job.id(), job.token())));
      assertEquals("JS001", lost.getSQLState());
    }
  }

  @Test
  void workerMaySettleOnlyItsOwnOutcomes() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 1);
      SQLException refused =
          assertThrows(SQLException.class, () -> sql.settle(worker, 1, claimed, "lost"));
      assertEquals("22023", refused.getSQLState());
      assertEquals("running", sql.state(claimed.get(0).id()));
    }
  }

  @Test
  void unstorableResultFailsTheBatchAndChangesNothing() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = claim(worker, 1);
      SQLException bad =
          assertThrows(
              SQLException.class, () -> sql.settle(worker, 1, claimed, "succeeded", "{nonsense"));
      assertEquals("22P02", bad.getSQLState());
      assertEquals("running", sql.state(claimed.get(0).id()));
      assertNull(database.sql("SELECT 1 FROM finished_jobs"));
    }
  }

  @Test
  void backoffGrowsIsCappedAndNeverOverflows() {
    String fixed = "{\"strategy\": \"exponential\", \"baseSeconds\": 10, \"jitter\": \"none\"}";
    assertEquals("10", seconds(fixed, 1));
    assertEquals("40", seconds(fixed, 3));
    assertEquals("3600", seconds(fixed, 1000));
    assertEquals("30", seconds("{\"strategy\": \"linear\", \"baseSeconds\": 10}", 3));
    assertEquals("10", seconds("{\"strategy\": \"fixed\", \"baseSeconds\": 10}", 9));
    String list = "{\"strategy\": \"list\", \"delaySeconds\": [1, 5, 25]}";
    assertEquals("1", seconds(list, 1));
    assertEquals("25", seconds(list, 3));
    assertEquals("25", seconds(list, 7));
    assertEquals(
        "true",
        database.sql(
            "SELECT bool_and(retry_delay(NULL, 2) BETWEEN '0 s' AND '20 s')::text FROM generate_series(1, 200)"));
  }

  private String seconds(String policy, int attempt) {
    return database.sql(
        "SELECT extract(epoch FROM retry_delay('%s', %d))::bigint".formatted(policy, attempt));
  }
}
