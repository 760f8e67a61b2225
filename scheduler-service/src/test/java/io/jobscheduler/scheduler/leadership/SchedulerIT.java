package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.SchedulerProcess;
import io.jobscheduler.scheduler.testing.SchedulerProcess.Answer;
import io.jobscheduler.scheduler.testing.StatementCount;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packaged service as processes. */
class SchedulerIT {
  private static final int SIGTERM_EXIT = 143;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void worksKeepsItsBudgetWhenIdleAndHandsOverWithinThreeSeconds() throws Exception {
    Jobs jobs = new Jobs(database);
    try (StatementCount statements = new StatementCount(database);
        SchedulerProcess first = SchedulerProcess.start("first", database, Map.of())) {
      first.awaitReady();
      awaitEpoch(1);
      try (SchedulerProcess second = SchedulerProcess.start("second", database, Map.of())) {
        second.awaitReady();
        assertTrue(first.probe("ready").body().contains("\"leads\": 1"), "the leader says so");
        assertFalse(second.probe("ready").body().contains("leads"), "the standby does not");
        assertEquals(200, second.probe("live").status());
        assertTrue(first.probe("live").body().contains("last success"), "loops tell of it");
        String metrics = first.metrics();
        assertTrue(metrics.contains("jobs_leader 1.0"), metrics);
        assertTrue(
            metrics.contains("jobs_maintenance_success_age_seconds{task=\"rescue\""), metrics);
        assertTrue(metrics.contains("jobs_maintenance_rows_total{task=\"promotion\""), metrics);
        assertTrue(second.metrics().contains("jobs_leader 0.0"), "the standby");

        jobs.insert(1, "state, run_at", "'scheduled', clock_timestamp() + interval '1 s'");
        Await.until("promoted", Duration.ofSeconds(15), () -> jobs.count("ready") == 1);

        database.sql("DELETE FROM jobs");
        Await.until("idle", Duration.ofSeconds(30), this::nothingIsLeftToDo);
        statements.assertAtMostPerSecond(6, 1);

        long killed = System.nanoTime();
        first.kill();
        awaitEpoch(2);
        Duration took = Duration.ofNanos(System.nanoTime() - killed);
        assertTrue(took.compareTo(Duration.ofSeconds(3)) <= 0, "took " + took);

        assertEquals(SIGTERM_EXIT, second.terminate(), second::log);
        assertFalse(second.log().contains("WARN"), second::log);
      }
    }
  }

  @Test
  void stoppedLeaderLosesItsTermAndStandsByOnceItGoesOn() throws Exception {
    Map<String, String> hasty =
        Map.of(
            "JOBS_SCHEDULER_LEADERSHIP_BEAT", "PT0.2S",
            "JOBS_SCHEDULER_LEADERSHIP_STALE_AFTER", "PT2S");
    try (SchedulerProcess first = SchedulerProcess.start("stopped", database, hasty)) {
      awaitEpoch(1);
      try (SchedulerProcess second = SchedulerProcess.start("other", database, hasty)) {
        second.awaitReady();
        first.signal("STOP");
        awaitEpoch(2);
        first.signal("CONT");
        Await.until(
            "the first knows that it leads no more",
            Duration.ofSeconds(10),
            () -> {
              Answer answer = first.probe("ready");
              return answer.status() == 200 && !answer.body().contains("leads");
            });
        assertEquals("2", database.sql("SELECT epoch FROM leadership"));
      }
    }
  }

  @Test
  void waitsForItsSchema() throws Exception {
    TestDatabase bare = TestDatabase.empty().open();
    try (SchedulerProcess process = SchedulerProcess.start("early", bare, Map.of())) {
      Await.until(
          "it says what is missing",
          Duration.ofSeconds(30),
          () -> process.probe("ready").body().contains("run the migrate mode"));
      assertEquals(503, process.probe("ready").status());
      assertEquals(200, process.probe("live").status());
    } finally {
      bare.close(false);
    }
  }

  @Test
  void waitsForItsDatabase() throws Exception {
    String nowhere = "jdbc:postgresql://127.0.0.1:1/none";
    try (SchedulerProcess process =
        SchedulerProcess.start("alone", database, Map.of("JOBS_DB_URL", nowhere))) {
      Await.until(
          "it says what is missing",
          Duration.ofSeconds(30),
          () -> process.probe("ready").body().contains("does not answer"));
      assertEquals(503, process.probe("ready").status());
      assertEquals(200, process.probe("live").status());
    }
  }

  @Test
  void stopsAtASchemaThatItWillNeverUnderstand() throws Exception {
    database.sql("INSERT INTO schema_versions (version, compat) VALUES (999, 'breaking')");
    try (SchedulerProcess process = SchedulerProcess.start("old", database, Map.of())) {
      assertEquals(1, process.awaitExit());
      assertTrue(process.log().contains("deploy a newer build"), process::log);
    }
  }

  @Test
  void refusesTimingThatContradictsItself() throws Exception {
    try (SchedulerProcess process =
        SchedulerProcess.start(
            "contradiction", database, Map.of("JOBS_SCHEDULER_RESCUE_TIMEOUT", "PT9S"))) {
      assertEquals(1, process.awaitExit());
      assertTrue(process.log().contains("rescue.timeout must be at least 5 x beat"), process::log);
    }
  }

  private void awaitEpoch(long epoch) throws Exception {
    Await.until(
        "epoch " + epoch,
        Duration.ofSeconds(20),
        () -> Integer.toString((int) epoch).equals(database.sql("SELECT epoch FROM leadership")));
  }

  /** The last partition that a new database needs is there, and no head is noted. */
  private boolean nothingIsLeftToDo() {
    return "true"
        .equals(
            database.sql(
                "SELECT (to_regclass('finished_jobs_forever') IS NOT NULL"
                    + " AND NOT EXISTS (SELECT 1 FROM queue_heads))::text"));
  }
}
