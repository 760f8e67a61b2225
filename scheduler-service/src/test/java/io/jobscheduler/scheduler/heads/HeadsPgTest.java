package io.jobscheduler.scheduler.heads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.scheduler.loop.PoisonRows;
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

class HeadsPgTest {
  private static final String READY_FOR_LONG = "'ready', clock_timestamp() - interval '1 min'";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;
  private HeadsLoop heads;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    heads =
        new HeadsLoop(
            rig.leadership, rig.transactions, rig.dataSource, rig.agenda, rig.loops, rig.clock);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void notesTheFirstKeyOfEachLane() throws Exception {
    jobs.insert(
        6, "state, ready_at, priority, dispatch_lane", READY_FOR_LONG + ", 3 + i % 2, 3 + i % 2");

    heads.runOnce();

    assertEquals(
        database.sql(
            "SELECT string_agg(f.k, ' ' ORDER BY f.k) FROM (SELECT dispatch_lane || ':'"
                + " || min(dispatch_key) AS k FROM jobs GROUP BY dispatch_lane) f"),
        heads());
  }

  @Test
  void jobThatHasJustBecomeReadyIsLeftToItsSignal() throws Exception {
    jobs.insert(1, "state, ready_at", "'ready', clock_timestamp() + interval '1 min'");

    heads.runOnce();

    assertNull(heads());
  }

  @Test
  void headOfAnEmptiedLaneGoes() throws Exception {
    jobs.insert(1, "state, ready_at", READY_FOR_LONG);
    heads.runOnce();
    jobs.claim(77, 1);
    rig.clock.advance(Duration.ofSeconds(1));

    heads.runOnce();

    assertNull(heads());
  }

  private String heads() {
    return database.sql(
        "SELECT string_agg(dispatch_lane || ':' || dispatch_key, ' '"
            + " ORDER BY dispatch_lane || ':' || dispatch_key) FROM queue_heads");
  }

  @Test
  void queueThatFailsHoldsUpNoOther() throws Exception {
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'bad'), (1, 'good')");
    jobs.insert(3, "state, ready_at", READY_FOR_LONG);
    database.sql("UPDATE jobs SET queue_id = id");
    database.sql("ALTER TABLE queue_heads ADD CONSTRAINT poison CHECK (queue_id <> 2)");
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      heads.runOnce();
      assertEquals(
          "1 3",
          database.sql(
              "SELECT string_agg(queue_id::text, ' ' ORDER BY queue_id) FROM queue_heads"));
      assertEquals(1, log.messages().size(), log.messages()::toString);
    }
  }
}
