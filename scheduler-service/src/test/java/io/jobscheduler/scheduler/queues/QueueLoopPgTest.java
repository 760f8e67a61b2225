package io.jobscheduler.scheduler.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QueueLoopPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'other')");
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void pauseEndsAtItsInstantAndTheDashboardIsTold() throws Exception {
    database.sql(
        "UPDATE queues SET paused_at = now(), resume_at = now() + (id * 2 - 3) * interval '1 h'");
    try (Hearing dashboard = new Hearing(database, "jobs_changed")) {
      loop().runOnce();
      assertEquals("p queues", dashboard.next());
    }
    assertEquals(
        "2",
        database.sql("SELECT string_agg(id::text, ' ') FROM queues WHERE paused_at IS NOT NULL"));
  }

  @Test
  void switchedAgeingReachesEveryWaitingJobInSteps() throws Exception {
    jobs.insert(25, "state, ready_at, priority, dispatch_lane", "'ready', now(), 4, 4");
    jobs.insert(1, "state, ready_at, priority, dispatch_lane", "'ready', now(), 9, 9");
    assertEquals("t", database.sql("SELECT set_queue_ageing(1, 60000)"));
    QueueLoop loop = loop("jobs.scheduler.queues.rekey-batch", "10");
    try (Hearing workers = new Hearing(database, "jobs_ready")) {
      loop.runOnce();
      assertTrue(workers.next().startsWith("1:0:"), "workers learn of the new places");
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs WHERE dispatch_lane <> 0"));
    assertEquals("0", database.sql("SELECT count(*) FROM queues_to_rekey()"));
  }

  @Test
  void queueWhoseStepFailsHoldsUpNoOther() throws Exception {
    jobs.insert(5, "state, ready_at, priority, dispatch_lane", "'ready', now(), 4, 4");
    database.sql("UPDATE jobs SET queue_id = 2 WHERE id > 3");
    database.sql("SELECT set_queue_ageing(id, 60000) FROM queues");
    database.sql(
        "ALTER TABLE jobs ADD CONSTRAINT poison CHECK (queue_id <> 1 OR dispatch_lane <> 0)");
    QueueLoop loop = loop();
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      loop.runOnce();
      loop.runOnce();
      assertEquals(1, log.messages().size(), log.messages()::toString);
    }
    assertEquals(
        "1", database.sql("SELECT string_agg(queue_id::text, ' ') FROM queues_to_rekey()"));
    database.sql("ALTER TABLE jobs DROP CONSTRAINT poison");
    rig.clock.advance(Duration.ofSeconds(10));
    loop.runOnce();
    assertEquals("0", database.sql("SELECT count(*) FROM queues_to_rekey()"));
  }

  @Test
  void declaredPathsAreSettledOnceTheyHaveCommitted() throws Exception {
    jobs.insert(3, "state, ready_at", "'ready', now()");
    database.sql("SELECT set_search_paths(1, '{k}')");
    loop().runOnce();
    assertEquals("{4}", database.sql("SELECT search_since FROM queues WHERE id = 1"));
    assertEquals("{}", database.sql("SELECT search_since FROM queues WHERE id = 2"));
    database.sql("SELECT set_search_paths(1, '{none,k}')");
    jobs.insert(1, "state, ready_at", "'ready', now()");
    loop().runOnce();
    assertEquals("{5,4}", database.sql("SELECT search_since FROM queues WHERE id = 1"));
  }

  @Test
  void standbyChangesNothing() throws Exception {
    database.sql("UPDATE queues SET paused_at = now(), resume_at = now()");
    QueueLoop loop = loop();
    rig.leadership.close();
    loop.runOnce();
    assertEquals("2", database.sql("SELECT count(*) FROM queues WHERE paused_at IS NOT NULL"));
  }

  private QueueLoop loop(String... keysAndValues) {
    return new QueueLoop(
        rig.leadership,
        rig.transactions,
        rig.dataSource,
        rig.agenda,
        rig.signals,
        Configs.of(QueueConfig.class, keysAndValues),
        rig.loops,
        rig.clock);
  }
}
