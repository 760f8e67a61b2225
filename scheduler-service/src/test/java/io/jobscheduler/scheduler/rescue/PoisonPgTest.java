package io.jobscheduler.scheduler.rescue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A row that cannot be ended, among others that can. */
class PoisonPgTest {
  private static final long WORKER = 77;

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
            Configs.of(RescueConfig.class),
            rig.loops,
            rig.clock);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Its end is recorded already, as after a restore that mixed two backups. */
  @Test
  void othersAreRescuedAndTheBadRowIsReported() throws Exception {
    jobs.insert(9, "state, max_attempts", "'ready', 1");
    jobs.claim(WORKER, 9);
    String bad = database.sql("SELECT min(id) + 4 FROM jobs");
    database.sql(
        "INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id, queue_id, attempt,"
            + " max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents, state, type)"
            + " SELECT id, created_at, clock_timestamp(), retention_bound(retention_today(), 30), project_id,"
            + " queue_id, 1, 1, 0, 0, 4, false, false, 'dead', type FROM jobs WHERE id = "
            + bad);
    database.sql("UPDATE workers SET lost_at = clock_timestamp()");

    Loop loop = rig.loops.all().get(0);
    try (LogCapture log = LogCapture.of(RescueLoop.class)) {
      for (int round = 0; round < 2; round++) {
        loop.turn(rescue::runOnce);
        rig.clock.advance(Duration.ofSeconds(1));
      }
      assertEquals(
          List.of(
              "Jobs of lost workers cannot be ended, mend or delete their rows: job_ids=["
                  + bad
                  + "]"),
          log.messages().stream().filter(m -> m.contains("mend")).toList(),
          "reported once");
    }
    assertEquals(0, loop.failuresInRow());
    assertEquals("9", database.sql("SELECT count(*) FROM finished_jobs"));
    assertEquals(bad, database.sql("SELECT string_agg(id::text, ',') FROM jobs"));
  }
}
