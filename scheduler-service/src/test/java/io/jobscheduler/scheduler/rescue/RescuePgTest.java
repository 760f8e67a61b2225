package io.jobscheduler.scheduler.rescue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.Jobs.Lease;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Beat 200 ms, timeout 6 s, so early loss at 500 ms: the server that tests share is that old. */
class RescuePgTest {
  private static final long WORKER = 77;
  private static final String EVERY_JITTERLESS =
      "'{\"strategy\": \"fixed\", \"baseSeconds\": 3600, \"jitter\": \"none\"}'";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;
  private RescueLoop rescue;

  @BeforeEach
  void lead() throws Exception {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    jobs.register(WORKER);
    rescue =
        new RescueLoop(
            rig.leadership,
            rig.transactions,
            rig.agenda,
            rig.signals,
            Configs.of(
                RescueConfig.class,
                "jobs.scheduler.rescue.beat",
                "PT0.2S",
                "jobs.scheduler.rescue.timeout",
                "PT6S"),
            rig.loops,
            rig.clock);
    Await.until(
        "the server is older than the timeout",
        Duration.ofSeconds(10),
        () ->
            "true"
                .equals(
                    database.sql(
                        "SELECT (pg_postmaster_start_time()"
                            + " < clock_timestamp() - interval '6 s')::text")));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void firstLossIsRecordedAndGoesBackAtOnce() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    silence("10 s");

    rescue.runOnce();

    assertEquals("ready", jobs.of(lease.id(), "state"));
    assertEquals("1", jobs.of(lease.id(), "attempt"), "the attempt counts");
    assertEquals("worker-lost", jobs.of(lease.id(), "state_reason"));
    assertEquals(
        "1 lost worker-lost 77",
        database.sql(
            "SELECT attempt || ' ' || outcome || ' ' || error_kind || ' ' || worker_id"
                + " FROM attempts"));
    assertEquals("lease_lost", jobs.settle(WORKER, lease, "succeeded"));
  }

  @Test
  void secondLossWaitsForItsBackoff() throws Exception {
    jobs.insert(1, "state, retry_policy", "'ready', " + EVERY_JITTERLESS);
    claimOne();
    silence("10 s");
    rescue.runOnce();
    jobs.register(78);
    Lease second = jobs.claim(78, 1).get(0);
    silence("10 s");

    rescue.runOnce();

    assertEquals("retrying", jobs.of(second.id(), "state"));
    assertEquals(
        "true", jobs.of(second.id(), "(run_at > clock_timestamp() + interval '50 min')::text"));
    assertEquals("2", database.sql("SELECT count(*) FROM attempts WHERE outcome = 'lost'"));
  }

  @Test
  void lastAttemptGoesToTheDeadLetters() throws Exception {
    jobs.insert(1, "state, max_attempts", "'ready', 1");
    Lease lease = claimOne();
    silence("10 s");

    rescue.runOnce();

    assertEquals("dead", jobs.of(lease.id(), "state"));
    assertEquals("worker-lost", jobs.of(lease.id(), "error_kind"));
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void unstartedClaimIsGivenBackThreeTimesAndThenCounts() throws Exception {
    jobs.insertReady(1);
    for (int loss = 1; loss <= 4; loss++) {
      long worker = 100 + loss;
      jobs.register(worker);
      Lease lease = jobs.claim(worker, 1).get(0);
      assertEquals(1, lease.attempt(), "claim " + loss + " is the first attempt still");
      beat(worker, "ARRAY[" + lease.id() + "]::bigint[]");
      silence("10 s");
      rescue.runOnce();
      assertEquals("ready", jobs.of(lease.id(), "state"));
      assertEquals(loss <= 3 ? "0" : "1", jobs.of(lease.id(), "attempt"), "after loss " + loss);
    }
    assertEquals(
        "lost,released,released,released",
        database.sql("SELECT string_agg(outcome, ',' ORDER BY outcome) FROM attempts"));
  }

  @Test
  void doesNotRescueJobWithFreshHeartbeat() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    // Fresh however slow the machine is.
    database.sql("UPDATE workers SET beat_at = clock_timestamp() + interval '1 min'");

    rescue.runOnce();

    assertEquals("running", jobs.of(lease.id(), "state"));
    assertNull(database.sql("SELECT lost_at FROM workers"));
    assertEquals("settled", jobs.settle(WORKER, lease, "succeeded"));
  }

  @Test
  void silenceShortOfTheTimeoutIsLossOnlyWithoutTheSessionLock() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    try (Connection session = database.connect(Role.WORKER);
        Statement statement = session.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(" + WORKER + ")");
      silence("1 s");
      rescue.runOnce();
      assertEquals("running", jobs.of(lease.id(), "state"), "its session is alive");
      statement.execute("SELECT pg_advisory_unlock(" + WORKER + ")");
    }
    database.sql("UPDATE workers SET beat_at = clock_timestamp() + interval '1 min'");
    rescue.runOnce();
    assertEquals("running", jobs.of(lease.id(), "state"), "a lock gone alone proves nothing");

    silence("1 s");
    rescue.runOnce();
    assertEquals("ready", jobs.of(lease.id(), "state"));
  }

  @Test
  void losesNobodyUntilItsOwnBeatsHaveBeenPunctualForTheTimeout() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    silence("10 s");
    rig.clock.advance(Duration.ofSeconds(6));
    rig.leadership.runOnce();

    rescue.runOnce();
    assertEquals("running", jobs.of(lease.id(), "state"), "the database was away for all");

    for (int second = 0; second < 6; second++) {
      rig.clock.advance(Duration.ofSeconds(1));
      rig.leadership.runOnce();
    }
    rescue.runOnce();
    assertEquals("ready", jobs.of(lease.id(), "state"));
  }

  @Test
  void endsWhatIsRunningForAWorkerThatHasNoRow() throws Exception {
    jobs.insertReady(1);
    Lease lease = jobs.claim(4711, 1).get(0);

    rescue.runOnce();

    assertEquals("ready", jobs.of(lease.id(), "state"));
  }

  @Test
  void endsAllInBatches() throws Exception {
    jobs.insertReady(2_500);
    assertEquals(2_500, jobs.claim(WORKER, 2_500).size());
    silence("10 s");

    rescue.runOnce();

    assertEquals(2_500, jobs.count("ready"));
  }

  @Test
  void leavesARowThatAnAssertedLeaseHoldsForTheNextRound() throws Exception {
    jobs.insertReady(2);
    List<Lease> leases = jobs.claim(WORKER, 2);
    silence("10 s");
    try (Connection user = database.connect(Role.WORKER);
        Statement statement = user.createStatement()) {
      user.setAutoCommit(false);
      statement.execute(
          "SELECT jobs.assert_lease(" + leases.get(0).id() + ", " + leases.get(0).token() + ")");
      rescue.runOnce();
      assertEquals("running", jobs.of(leases.get(0).id(), "state"));
      assertEquals("ready", jobs.of(leases.get(1).id(), "state"));
      user.commit();
    }

    rescue.runOnce();
    assertEquals("ready", jobs.of(leases.get(0).id(), "state"));
  }

  @Test
  void tellsWorkersAndTheDashboard() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    silence("10 s");
    try (Hearing workers = new Hearing(database, "jobs_ready");
        Hearing dashboard = new Hearing(database, "jobs_changed")) {
      rescue.runOnce();
      assertTrue(workers.next().endsWith(":" + lease.id()));
      assertEquals("p workers", dashboard.next());
    }
  }

  @Test
  void forgetsWorkersThatEndedLongAgoAndHoldNothing() throws Exception {
    jobs.register(78);
    database.sql(
        "UPDATE workers SET stopped_at = clock_timestamp() - interval '25 h' WHERE id = 78");
    database.sql("UPDATE workers SET beat_at = clock_timestamp() + interval '1 min'");

    rescue.runOnce();

    assertEquals("77", database.sql("SELECT string_agg(id::text, ',') FROM workers"));
  }

  private Lease claimOne() throws SQLException {
    return jobs.claim(WORKER, 1).get(0);
  }

  /** All workers that are not lost beat last so long ago. */
  private void silence(String ago) {
    database.sql(
        "UPDATE workers SET beat_at = clock_timestamp() - interval '"
            + ago
            + "' WHERE lost_at IS NULL");
  }

  private void beat(long worker, String unstarted) throws SQLException {
    try (Connection connection = database.connect(Role.WORKER);
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT jobs.beat(" + worker + ", 0, false, " + unstarted + ")");
    }
  }

  /** Symptom: a database whose clock was put forward took every live worker for lost. */
  @Test
  void clockThatIsPutForwardLosesNobody() throws Exception {
    jobs.insertReady(1);
    Lease lease = claimOne();
    // By the clock that was put forward, what has just been written is long ago.
    database.sql("UPDATE workers SET beat_at = beat_at - interval '1 min'");
    database.sql("UPDATE leadership SET renewed_at = renewed_at - interval '1 min'");
    rescue.runOnce();
    assertEquals("running", jobs.of(lease.id(), "state"), "before the leader's next renewal");

    rig.leadership.runOnce();
    rescue.runOnce();
    assertEquals("running", jobs.of(lease.id(), "state"), "and until workers could beat again");

    database.sql("UPDATE leadership SET late_at = late_at - interval '6 s'");
    rescue.runOnce();
    assertEquals("ready", jobs.of(lease.id(), "state"), "who is still silent then is lost");
  }
}
