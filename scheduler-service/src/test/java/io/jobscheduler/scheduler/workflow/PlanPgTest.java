package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.LeadershipConfig;
import io.jobscheduler.scheduler.testing.Buffers;
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

  /** Fails when each job counts the same: then the path with more jobs is critical. */
  @Test
  void whatATypeTookOfLateDecidesTheCriticalPath() throws Exception {
    took("t", 1_000);
    took("slow", 600_000);
    int flow =
        flows.submit(
            "root short1 short2 short3 long",
            "root>short1 short1>short2" + " short2>short3 root>long");
    database.sql("UPDATE jobs SET type = 'slow' WHERE workflow_key = 'long'");

    planning.runOnce();

    assertEquals(
        "long=true root=true short1=false short2=false short3=false",
        flows.members(flow, "m.critical::text"));
    // To within 20 %, as the histogram's buckets are wide.
    assertEquals(
        "true",
        database.sql("SELECT (critical_path_length BETWEEN 481 AND 721)::text FROM workflows"));
    finish(flows.job(flow, "root"));
    assertEquals("long", jobs.of(jobs.claim(WORKER, 1).get(0).id(), "workflow_key"));
  }

  @Test
  void whatAJobIsExpectedToTakeGoesBeforeTheMeanOfItsTypeAndAGateTakesWhatItWaits()
      throws Exception {
    took("t", 60_000);
    int flow = flows.submit("a b gate wait", "a>b b>wait wait>gate");
    database.sql("UPDATE workflow_members SET expected_ms = 1500 WHERE key IN ('a', 'b')");
    database.sql("UPDATE jobs SET gate = 'signal' WHERE workflow_key = 'gate'");
    database.sql(
        "UPDATE jobs SET gate = 'time', payload = '{\"waitMs\": 3000}' WHERE workflow_key = 'wait'");

    planning.runOnce();

    assertEquals("a=1 b=0.75 gate=0 wait=0.5", flows.members(flow, "m.rank"));
    assertEquals("6", database.sql("SELECT critical_path_length FROM workflows"));
  }

  @Test
  void typeThatNeverRanCountsAsOneSecond() throws Exception {
    took("other", 600_000);
    flows.submit("a b", "a>b");

    planning.runOnce();

    assertEquals("2", database.sql("SELECT critical_path_length FROM workflows"));
  }

  /** Growth asks for a plan again; what has ended still counts with its time. */
  @Test
  void plansAgainWhenAskedAndWritesOnlyWhatChanges() throws Exception {
    int flow = flows.submit("a b c", "a>b b>c");
    planning.runOnce();
    finish(flows.job(flow, "a"));
    took("t", 60_000);
    String before = database.sql("SELECT xmin::text FROM jobs WHERE workflow_key = 'c'");
    database.sql("UPDATE workflows SET planned_at = NULL");

    planning.runOnce();

    assertEquals("a=1 b=0.6667 c=0.3333", flows.members(flow, "round(m.rank::numeric, 4)::float8"));
    assertEquals(before, database.sql("SELECT xmin::text FROM jobs WHERE workflow_key = 'c'"));
    assertEquals(
        "true",
        database.sql("SELECT (critical_path_length BETWEEN 144 AND 216)::text FROM workflows"));
  }

  /** Lets a job of that type have ended, and counts it as the roll-up does. */
  private void took(String type, int millis) {
    database.sql(
        "INSERT INTO finished_jobs (id, lease_token, worker_id, created_at, ready_at, started_at,"
            + " finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows,"
            + " returned, priority, has_dependencies, has_dependents, state, type)"
            + " SELECT nextval('job_id_seq'), 1, 1, e.at, e.at, e.at - make_interval(secs => "
            + millis / 1000.0
            + "), e.at, 'infinity', 1, 1, 1, 1, 0, 0, 4, false, false, 'succeeded', '"
            + type
            + "' FROM (SELECT date_trunc('minute', clock_timestamp()) - interval '1 second') AS e (at)");
    database.sql(
        "SELECT add_statistics(f.finished_at, f.finished_at + interval '0.5 seconds')"
            + " FROM finished_jobs f WHERE f.type = '"
            + type
            + "' ORDER BY f.id DESC LIMIT 1");
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
  void parentOutsideTheWorkflowIsNoPartOfItsPlan() throws Exception {
    int first = flows.submit("a b", "a>b");
    int second = flows.submit("x y", "x>y");
    flows.edge(second, flows.job(first, "b"), flows.job(second, "y"));

    planning.runOnce();

    assertEquals("x=0 y=1", flows.members(second, "m.level"));
  }

  /** Fails when a plan that was made of a smaller graph counts as the plan of the larger one. */
  @Test
  void planOfAWorkflowThatHasGrownMeanwhileIsNotWritten() throws Exception {
    int flow = flows.submit("a b", "a>b");
    WorkflowGraph read;
    try (Connection connection = rig.dataSource.getConnection()) {
      read = PlanStore.workflowGraph(connection, flow);
    }
    flows.grow(flow, "c", "b");
    rig.transactions.run(
        rig.term(),
        t -> {
          PlanStore.applyPlan(t, flow, read, planOf(read));
          return flow;
        });
    assertNull(database.sql("SELECT planned_at FROM workflows"));

    planning.runOnce();

    assertEquals("a=0 b=1 c=2", flows.members(flow, "m.level"));
    assertEquals("3", database.sql("SELECT levels FROM workflows"));
  }

  /** Fails when only the jobs are counted. */
  @Test
  void planOfAWorkflowThatHasGotAnEdgeMeanwhileIsNotWritten() throws Exception {
    int flow = flows.submit("a b c", "a>b");
    WorkflowGraph read;
    try (Connection connection = rig.dataSource.getConnection()) {
      read = PlanStore.workflowGraph(connection, flow);
    }
    flows.edge(flow, flows.job(flow, "b"), flows.job(flow, "c"));
    rig.transactions.run(
        rig.term(),
        t -> {
          PlanStore.applyPlan(t, flow, read, planOf(read));
          return flow;
        });
    assertNull(database.sql("SELECT planned_at FROM workflows"));

    planning.runOnce();

    assertEquals("a=0 b=1 c=2", flows.members(flow, "m.level"));
  }

  private static WorkflowPlan planOf(WorkflowGraph graph) {
    try {
      return WorkflowPlan.of(graph);
    } catch (UnplannableException e) {
      throw new AssertionError(e);
    }
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

  /** The steps of Kahn's algorithm and of union-find are counted where those are. */
  @Test
  void readingAGraphCostsNoMorePerJobWhenItIsTenTimesAsLarge() throws Exception {
    int small = flows.submitChain(2_000);
    int large = flows.submitChain(20_000);
    database.sql("ANALYZE");

    long ofSmall = Buffers.of(database, "SELECT count(*) FROM jobs.plan_members(" + small + ")");
    long ofLarge = Buffers.of(database, "SELECT count(*) FROM jobs.plan_members(" + large + ")");

    assertTrue(ofLarge <= 12 * ofSmall, () -> ofSmall + " buffers, then " + ofLarge);
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
