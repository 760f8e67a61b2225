package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.LeadershipConfig;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.Jobs.Lease;
import io.jobscheduler.scheduler.testing.LogCapture;
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

class PlanPgTest {
  private static final long WORKER = 77;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;
  private Flows flows;
  private PlanLoop planning;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    jobs.register(WORKER);
    flows = new Flows(database);
    planning = planningWith(rig.transactions);
  }

  private PlanLoop planningWith(LeaderTransactions transactions) {
    return new PlanLoop(
        rig.leadership,
        transactions,
        rig.dataSource,
        rig.agenda,
        rig.signals,
        Configs.of(WorkflowConfig.class),
        rig.loops,
        rig.clock);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void writesLevelsCriticalPathAndRanks() throws Exception {
    int flow = flows.submit("a b c d e", "a>b a>c c>d d>e b>e");

    planning.runOnce();

    assertEquals("a=0 b=1 c=1 d=2 e=3", flows.members(flow, "m.level"));
    assertEquals("a=true b=false c=true d=true e=true", flows.members(flow, "m.critical::text"));
    assertEquals("a=1 b=0.5 c=0.75 d=0.5 e=0.25", flows.members(flow, "m.rank"));
    assertEquals(
        "4 1 4 true",
        database.sql(
            "SELECT concat_ws(' ', levels, clusters, critical_path_length,"
                + " (planned_at IS NOT NULL)::text) FROM workflows"));
  }

  /** Fails when the plan is a no-op: by submission alone the leaves, submitted first, go first. */
  @Test
  void claimPrefersTheCriticalPath() throws Exception {
    int flow =
        flows.submit(
            "root leaf1 leaf2 leaf3 long1 long2 long3",
            "root>leaf1 root>leaf2 root>leaf3 root>long1 long1>long2 long2>long3");
    planning.runOnce();
    finish(flows.job(flow, "root"));
    assertEquals(4, jobs.count("ready"));

    Lease next = jobs.claim(WORKER, 1).get(0);

    assertEquals("long1", jobs.of(next.id(), "workflow_key"));
  }

  /** Fails when each job, or all of them, count as one cluster. */
  @Test
  void countsTheIndependentClusters() throws Exception {
    int flow = flows.submit("a b c d e f", "a>c b>c d>e");

    planning.runOnce();

    assertEquals("a=0 b=0 c=0 d=1 e=1 f=2", flows.members(flow, "m.cluster"));
    assertEquals("3", database.sql("SELECT clusters FROM workflows"));
  }

  @Test
  void readyRowsAreNotTouched() throws Exception {
    flows.submit("a b", "a>b");
    String before = database.sql("SELECT xmin::text FROM jobs WHERE workflow_key = 'a'");

    planning.runOnce();

    assertEquals(
        before,
        database.sql("SELECT xmin::text FROM jobs WHERE workflow_key = 'a'"),
        "a claimer's remembered head may have passed a changed key");
  }

  @Test
  void workflowWithACycleHoldsUpNobodyAndIsNamedOnce() throws Exception {
    int cyclic = flows.submit("a b c", "a>b b>c c>a");
    int sound = flows.submit("x y", "x>y");
    try (LogCapture log = LogCapture.of(PlanLoop.class)) {
      planning.runOnce();
      planning.runOnce();
      rig.clock.advance(Duration.ofSeconds(11));
      planning.runOnce();

      assertEquals(
          List.of(
              "A workflow cannot be planned, its jobs run unordered: workflow_id="
                  + cyclic
                  + " reason=its jobs form a cycle: a → b → c → a"),
          log.messages());
    }
    assertEquals("x=0 y=1", flows.members(sound, "m.level"));
    assertNull(database.sql("SELECT planned_at FROM workflows WHERE id = " + cyclic));
  }

  @Test
  void workflowWithAnEdgeToNobodyHoldsUpNobody() throws Exception {
    int broken = flows.submit("a b", "a>b");
    flows.edge(broken, 999_999, flows.job(broken, "b"));
    flows.submit("x y", "x>y");

    planning.runOnce();

    assertEquals("1", database.sql("SELECT count(*) FROM workflows WHERE planned_at IS NOT NULL"));
  }

  @Test
  void planThatFailsInTheDatabaseHoldsUpNobodyAndIsTriedAgain() throws Exception {
    int held = flows.submit("a b", "a>b");
    int free = flows.submit("x y", "x>y");
    PlanLoop impatient =
        planningWith(
            new LeaderTransactions(
                rig.dataSource,
                Configs.of(
                    LeadershipConfig.class, "jobs.scheduler.leadership.statement-limit", "PT0.3S"),
                System::nanoTime));
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      // The plan waits for this lock until its statement's limit.
      other.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock(2, " + held + ")");
      impatient.runOnce();
      other.rollback();
    }
    assertEquals("x=0 y=1", flows.members(free, "m.level"));

    rig.clock.advance(Duration.ofSeconds(11));
    impatient.runOnce();
    assertEquals("a=0 b=1", flows.members(held, "m.level"));
  }

  @Test
  void largestWorkflowIsPlannedWithinOneTransaction() throws Exception {
    flows.submitChain(20_000);
    database.sql("ANALYZE");

    planning.runOnce();

    assertEquals("20000", database.sql("SELECT levels FROM workflows"));
    assertEquals(
        "true",
        database.sql(
            "SELECT (count(DISTINCT dispatch_key) = 19999)::text FROM jobs"
                + " WHERE state = 'blocked'"));
  }

  @Test
  void tellsTheDashboard() throws Exception {
    flows.submit("a b", "a>b");
    try (Hearing dashboard = new Hearing(database, "jobs_changed")) {
      planning.runOnce();
      assertEquals("p workflows", dashboard.next());
    }
  }

  private void finish(long job) throws SQLException {
    Lease lease = jobs.claim(WORKER, 1).get(0);
    assertEquals(job, lease.id());
    assertTrue(jobs.settle(WORKER, lease, "succeeded").equals("settled"));
  }
}
