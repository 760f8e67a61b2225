package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.lease.Timings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The database goes away, is changed, or is set up against us. */
class OutagePgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();

  /** Five loops that knock once a second or so each; a hot loop makes thousands of attempts. */
  @Test
  void knocksWithPausesWhileTheDatabaseIsAway() throws Exception {
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(60));
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(rig.pool(wire.url()), wire.connections(), recorder);
      Await.until("ready", worker::isReady);
      wire.breakAndRefuse();
      long waiting = jobs.ready(queue, "record", null);
      long start = System.nanoTime();
      Await.until("three seconds", () -> System.nanoTime() - start >= 3_000_000_000L);
      assertTrue(wire.refusals() <= 60, wire.refusals() + " attempts in three seconds");
      assertTrue(!worker.isReady());
      wire.resume();
      Await.until("it works again by itself", () -> "succeeded".equals(jobs.state(waiting)));
      assertEquals("1", jobs.column("attempt", waiting), "the outage used no attempt");
      rig.drain(worker);
    }
  }

  /** Symptom elsewhere: "cached plan must not change result type" in every old worker. */
  @Test
  void goesOnWhileColumnsAreAdded() throws SQLException {
    int queue = jobs.queue("mail");
    rig.ready(recorder);
    jobs.readyMany(queue, "record", 50);
    Await.until("it has run some", () -> jobs.count("succeeded") == 50);
    for (int column = 1; column <= 3; column++) {
      database.sql("ALTER TABLE jobs ADD COLUMN later_" + column + " text");
      database.sql("ALTER TABLE finished_jobs ADD COLUMN later_" + column + " text");
      database.sql("ALTER TABLE queues ADD COLUMN later_" + column + " text");
      database.sql("ALTER TABLE workers ADD COLUMN later_" + column + " text");
      jobs.readyMany(queue, "record", 50);
      int all = 50 + 50 * column;
      Await.until("it has run more", () -> jobs.count("succeeded") == all);
    }
    assertEquals(
        "1", database.sql("SELECT string_agg(DISTINCT attempt::text, ',') FROM finished_jobs"));
    assertEquals(200, recorder.seen.size());
  }

  @Test
  void worksUnderRoleSettingsThatAreAgainstIt() throws SQLException {
    try (Connection admin = database.superuser()) {
      for (String setting :
          List.of(
              "statement_timeout = '200ms'",
              "lock_timeout = '50ms'",
              "timezone = 'Asia/Kathmandu'")) {
        admin
            .createStatement()
            .execute(
                "DO $$ BEGIN EXECUTE format('ALTER ROLE jobs_worker IN DATABASE %I SET "
                    + setting.replace("'", "''")
                    + "', current_database()); END $$");
      }
    }
    int queue = jobs.queue("mail");
    rig.ready(recorder);
    jobs.readyMany(queue, "record", 200);
    Await.until("all have run", () -> jobs.count("succeeded") == 200);
    assertEquals(200, recorder.seen.size());
  }
}
