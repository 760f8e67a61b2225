package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.Jobs.Lease;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReleasePgTest {
  private static final long WORKER = 77;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;
  private Flows flows;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    jobs.register(WORKER);
    flows = new Flows(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void wideFanIsReleasedInBatches() throws Exception {
    flows.submitFan(10_000);
    settleRoot("succeeded");
    assertEquals(0, jobs.count("ready"), "the settle leaves a wide fan to the leader");

    int batch =
        rig.transactions
            .run(rig.term(), t -> ReleaseStore.releasePending(t, 1_000, null))
            .ready()
            .size();
    assertEquals(1_000, batch);
    turnUntil(loop(), "all are released", () -> jobs.count("ready") == 10_000);

    assertEquals("0", database.sql("SELECT count(*) FROM pending_releases"));
  }

  @Test
  void failureSkipsAChainOfAThousand() throws Exception {
    flows.submitChain(1_000);
    settleRoot("dead");

    turnUntil(
        loop(),
        "all are skipped",
        () ->
            "999"
                .equals(
                    database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'skipped'")));

    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    assertEquals("0", database.sql("SELECT count(*) FROM dependencies WHERE outcome IS NULL"));
  }

  @Test
  void sweepReleasesAChildWhoseEdgesAreMet() throws Exception {
    int flow = flows.submit("a b c", "a>b b>c");
    settleRoot("succeeded");
    // As if the step that releases had been lost.
    database.sql("UPDATE jobs SET state = 'blocked', ready_at = NULL WHERE workflow_key = 'b'");
    try (Hearing workers = new Hearing(database, "jobs_ready")) {
      loop().runOnce();
      assertTrue(workers.next().endsWith(":" + flows.job(flow, "b")));
    }
    assertEquals("ready", jobs.of(flows.job(flow, "b"), "state"));
    assertEquals("blocked", jobs.of(flows.job(flow, "c"), "state"));
  }

  @Test
  void sweepTellsEdgesOfAParentThatHasEnded() throws Exception {
    int flow = flows.submit("a b", "a>b");
    settleRoot("succeeded");
    database.sql("UPDATE dependencies SET outcome = NULL");
    database.sql("UPDATE jobs SET state = 'blocked', ready_at = NULL");

    turnUntil(loop(), "the child is ready", () -> jobs.count("ready") == 1);

    assertEquals("ready", jobs.of(flows.job(flow, "b"), "state"));
  }

  @Test
  void sweepWalksAllBlockedJobsInBoundedSteps() throws Exception {
    int flow = flows.submitChain(2_500);
    settleRoot("succeeded");
    database.sql("UPDATE jobs SET state = 'blocked', ready_at = NULL WHERE state = 'ready'");
    // The lost one comes last in the walk.
    long last = flows.job(flow, "n2499");
    database.sql("DELETE FROM dependencies WHERE child_id = " + last);

    turnUntil(loop(), "both are ready", () -> jobs.count("ready") == 2);
  }

  @Test
  void sweepRestsBetweenItsWalks() throws Exception {
    flows.submit("a b", "a>b");
    ReleaseLoop loop = loop();
    loop.runOnce();
    database.sql("DELETE FROM dependencies");

    loop.runOnce();
    assertEquals(1, jobs.count("blocked"));
    rig.clock.advance(Duration.ofSeconds(10));
    loop.runOnce();
    assertEquals(0, jobs.count("blocked"));
  }

  @Test
  void endOfAWorkflowIsNotedAndTold() throws Exception {
    flows.submit("a b", "a>b");
    int open = flows.submit("c", "");
    FinishLoop finish =
        new FinishLoop(
            rig.leadership,
            rig.transactions,
            rig.dataSource,
            rig.agenda,
            rig.signals,
            Configs.of(WorkflowConfig.class),
            rig.loops);
    settleRoot("dead");
    assertEquals("skipped", jobs.of(2, "state"));
    try (Hearing dashboard = new Hearing(database, "jobs_changed")) {
      finish.runOnce();
      assertEquals("p workflows", dashboard.next());
    }
    assertEquals(
        "failed true",
        database.sql(
            "SELECT final_state || ' ' || (finished_at IS NOT NULL) FROM workflows WHERE id = 1"));
    assertEquals(
        "true",
        database.sql("SELECT (finished_at IS NULL)::text FROM workflows WHERE id = " + open));
  }

  private void settleRoot(String outcome) throws SQLException {
    Lease lease = jobs.claim(WORKER, 1).get(0);
    assertEquals("settled", jobs.settle(WORKER, lease, outcome));
  }

  private ReleaseLoop loop() {
    return new ReleaseLoop(
        rig.leadership,
        rig.transactions,
        rig.dataSource,
        rig.agenda,
        rig.signals,
        Configs.of(WorkflowConfig.class),
        rig.loops,
        rig.clock);
  }

  private interface Condition {
    boolean holds();
  }

  /** Turns the loop, a bounded number of times; its round is cut short by the clock at most. */
  private static void turnUntil(ReleaseLoop loop, String what, Condition condition)
      throws SQLException {
    for (int round = 0; round < 20; round++) {
      if (condition.holds()) {
        return;
      }
      loop.runOnce();
    }
    assertTrue(condition.holds(), what);
  }

  @Test
  void childThatCannotBeReleasedHoldsUpNoSibling() throws Exception {
    flows.submitFan(600);
    settleRoot("succeeded");
    database.sql("UPDATE jobs SET priority = 0 WHERE workflow_key = 'n300'");
    database.sql(
        "ALTER TABLE jobs ADD CONSTRAINT poison CHECK (NOT (priority = 0 AND state = 'ready'))");
    ReleaseLoop loop = loop();
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      for (int round = 0; round < 40 && jobs.count("ready") < 599; round++) {
        loop.runOnce();
        rig.clock.advance(Duration.ofSeconds(10));
      }
      assertEquals(599, jobs.count("ready"));
      loop.runOnce();
      assertEquals(1, log.messages().size(), log.messages()::toString);
    }
    database.sql("ALTER TABLE jobs DROP CONSTRAINT poison");
    rig.clock.advance(Duration.ofSeconds(10));
    turnUntil(loop, "it follows", () -> jobs.count("ready") == 600);
  }

  @Test
  void workflowWhoseEndCannotBeNotedHoldsUpNoOther() throws Exception {
    for (int i = 0; i < 5; i++) {
      flows.submit("a", "");
      settleRoot("succeeded");
    }
    database.sql(
        "ALTER TABLE workflows ADD CONSTRAINT poison CHECK (id <> 2 OR finished_at IS NULL)");
    FinishLoop finish = finish();
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      finish.runOnce();
      finish.runOnce();
      assertEquals(
          "2",
          database.sql(
              "SELECT string_agg(id::text, ' ') FROM workflows WHERE finished_at IS NULL"));
      assertEquals(1, log.messages().size(), log.messages()::toString);
    }
  }

  private FinishLoop finish() {
    return new FinishLoop(
        rig.leadership,
        rig.transactions,
        rig.dataSource,
        rig.agenda,
        rig.signals,
        Configs.of(WorkflowConfig.class),
        rig.loops);
  }
}
