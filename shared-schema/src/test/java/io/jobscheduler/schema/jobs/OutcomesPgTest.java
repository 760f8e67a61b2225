package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What each outcome does to its job, alone and while a cancel request waits. */
class OutcomesPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;
  private Connection worker;
  private long claims;

  @BeforeEach
  void queue() throws SQLException {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    worker = sql.asWorker();
  }

  @AfterEach
  void close() throws SQLException {
    worker.close();
  }

  private Sql.Claimed claimNew() throws SQLException {
    sql.ready(queue, 1);
    return claim();
  }

  private Sql.Claimed claim() throws SQLException {
    return sql.claim(worker, 1, ++claims, queue, 1).get(0);
  }

  private Sql.Verdict settle(Sql.Claimed job, String outcome) throws SQLException {
    return sql.settleOne(worker, job, outcome, "NULL", "NULL", "NULL");
  }

  private static Sql.Verdict settled(Sql.Claimed job, String state) {
    return new Sql.Verdict(job.id(), "settled", state);
  }

  private void requestCancel(Sql.Claimed job) {
    database.sql("SELECT cancel_jobs(1, '{%d}', 'ann', 'no more')".formatted(job.id()));
  }

  private String live(String columns) {
    return database.sql("SELECT concat_ws(' ', " + columns + ") FROM jobs");
  }

  private String ended(Sql.Claimed job) {
    return database.sql(
        "SELECT concat_ws(' ', state, state_reason, error_kind) FROM finished_jobs WHERE id = "
            + job.id());
  }

  @Test
  void timeOutIsAFailedAttemptUnderItsOwnName() throws SQLException {
    Sql.Claimed job = claimNew();
    database.sql("UPDATE jobs SET max_attempts = 2, generation = 3");
    assertEquals(
        settled(job, "retrying"),
        sql.settleOne(worker, job, "timed_out", "'timeout'", "'0 s'", "NULL"));
    assertEquals("timed-out 1 1", live("state_reason, attempt, attempt_rows"));
    assertEquals(
        "timed_out timeout 1 3",
        database.sql(
            "SELECT concat_ws(' ', outcome, error_kind, attempt, generation) FROM attempts"));
    assertEquals(
        settled(job, "retrying"),
        sql.settleOne(worker, job, "timed_out", "'timeout'", "'0 s'", "NULL"),
        "its reply may have been lost");
    assertEquals("lease_lost", settle(job, "succeeded").verdict(), "the handler came back late");
    database.sql("SELECT promote_due(1)");
    Sql.Claimed last = claim();
    assertEquals(
        settled(last, "dead"),
        sql.settleOne(worker, last, "timed_out", "'timeout'", "'0 s'", "NULL"));
    assertEquals("dead timeout", ended(last));
    assertEquals("lease_lost", settle(last, "succeeded").verdict());
    assertEquals("lease_lost", settle(last, "failed").verdict(), "another end than the recorded");
  }

  @Test
  void snoozeGivesTheAttemptBackAndComesAgainAtItsInstant() throws SQLException {
    Sql.Claimed job = claimNew();
    String until = "now() + interval '1 hour'";
    assertEquals(
        settled(job, "scheduled"), sql.settleOne(worker, job, "snoozed", "NULL", "NULL", until));
    assertEquals("snoozed 0 1", live("state_reason, attempt, attempt_rows"));
    assertEquals(
        "true",
        live("(run_at BETWEEN now() + interval '59 minutes' AND now() + interval '1 hour')::text"));
    assertEquals(
        settled(job, "scheduled"),
        sql.settleOne(worker, job, "snoozed", "NULL", "NULL", until),
        "its reply may have been lost");
  }

  @Test
  void jobThatSnoozesForEverKeepsOneTraceAndAllItsAttempts() throws SQLException {
    Sql.Claimed job = claimNew();
    database.sql("UPDATE jobs SET max_attempts = 1");
    for (int i = 0; i < 3; i++) {
      sql.settleOne(worker, job, "snoozed", "NULL", "'0 s'", "NULL");
      database.sql("SELECT promote_due(1)");
      job = claim();
      assertEquals(1, job.attempt());
    }
    assertEquals("1", database.sql("SELECT count(*) FROM attempts"));
    assertEquals(settled(job, "succeeded"), settle(job, "succeeded"));
    assertEquals("1", database.sql("SELECT count(*) FROM finished_attempts"));
  }

  @Test
  void endlessSnoozeIsBoundedByAYear() throws SQLException {
    Sql.Claimed job = claimNew();
    sql.settleOne(worker, job, "snoozed", "NULL", "NULL", "'infinity'");
    assertEquals("true", live("(run_at <= now() + interval '366 days')::text"));
  }

  @Test
  void expiredJobIsCancelledAndNeverCountsAsAnAttempt() throws SQLException {
    Sql.Claimed job = claimNew();
    assertEquals(settled(job, "cancelled"), settle(job, "expired"));
    assertEquals("cancelled expired", ended(job));
    assertEquals(
        "0", database.sql("SELECT concat_ws(' ', attempt, started_at) FROM finished_jobs"));
    assertEquals("settled", settle(job, "expired").verdict());
    assertEquals("lease_lost", settle(job, "succeeded").verdict());
  }

  @Test
  void whileACancelRequestWaitsOnlySuccessStands() throws SQLException {
    for (String outcome :
        List.of("failed", "timed_out", "dead", "cancelled", "snoozed", "released")) {
      Sql.Claimed job = claimNew();
      requestCancel(job);
      assertEquals(settled(job, "cancelled"), settle(job, outcome), outcome);
      assertEquals("cancelled cancel-requested", ended(job), outcome);
      assertEquals("settled", settle(job, outcome).verdict(), outcome + " repeated");
      assertEquals("lease_lost", settle(job, "succeeded").verdict(), outcome + ", then success");
    }
    Sql.Claimed job = claimNew();
    requestCancel(job);
    assertEquals(settled(job, "succeeded"), settle(job, "succeeded"));
    Sql.Claimed revoked = claimNew();
    requestCancel(revoked);
    assertEquals(settled(revoked, "cancelled"), settle(revoked, "revoked"));
    assertEquals("cancelled revoked", ended(revoked));
    assertEquals("lease_lost", settle(revoked, "failed").verdict(), "revoked is not its own end");
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void requestOnOneJobLeavesTheOthersOfItsBatchAlone() throws SQLException {
    sql.ready(queue, 2);
    List<Sql.Claimed> both = sql.claim(worker, 1, ++claims, queue, 2);
    requestCancel(both.get(0));
    sql.settle(worker, 1, both, "failed");
    assertEquals("cancelled", sql.state(both.get(0).id()));
    assertEquals("retrying", sql.state(both.get(1).id()));
  }

  @Test
  void jobOfALostWorkerIsCancelledWhenThatWasAskedFor() throws SQLException {
    Sql.Claimed job = claimNew();
    Sql.Claimed other = claimNew();
    requestCancel(job);
    database.sql("UPDATE workers SET lost_at = clock_timestamp()");
    database.sql("SELECT rescue_jobs(10, false)");
    assertEquals("cancelled cancel-requested worker-lost", ended(job));
    assertEquals("ready", sql.state(other.id()));
    assertEquals("worker-lost", database.sql("SELECT error_fingerprint FROM attempts"));
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
    assertEquals("lease_lost", settle(job, "failed").verdict());
  }

  @Test
  void firstLossOfEachGenerationGoesBackWithoutBackoff() throws SQLException {
    for (String expected : List.of("ready", "retrying")) {
      if (expected.equals("ready")) {
        claimNew();
      } else {
        claim();
      }
      lose();
      assertEquals(expected, live("state"));
    }
    database.sql("UPDATE jobs SET generation = 1, attempt = 0, state = 'ready', ready_at = now()");
    claim();
    lose();
    assertEquals("ready", live("state"));
  }

  private void lose() {
    database.sql("UPDATE workers SET lost_at = clock_timestamp()");
    database.sql("SELECT rescue_jobs(10, false)");
    database.sql("UPDATE workers SET lost_at = NULL");
  }

  @Test
  void newestWordOfItsAttemptsGoesWhenTheJobEnds() throws SQLException {
    Sql.Claimed job = claimNew();
    database.sql(
        "INSERT INTO job_progress (job_id, lease_token) VALUES (%d, 1), (0, 1)"
            .formatted(job.id()));
    settle(job, "succeeded");
    assertEquals("0", database.sql("SELECT string_agg(job_id::text, ',') FROM job_progress"));
  }
}
