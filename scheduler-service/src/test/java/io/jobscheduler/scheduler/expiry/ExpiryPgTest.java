package io.jobscheduler.scheduler.expiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.testing.Buffers;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
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

class ExpiryPgTest {
  private static final String PAST = "clock_timestamp() - interval '1 min' + i * interval '1 ms'";
  private static final String OVERDUE = "'ready', clock_timestamp(), " + PAST;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void jobThatWaitsPastItsStartIsCancelledAsExpired() throws Exception {
    jobs.insert(1, "state, run_at, start_by", "'scheduled', now() + interval '1 h', " + PAST);
    jobs.insert(1, "state, start_by", "'blocked', " + PAST);
    jobs.insert(1, "state, ready_at, start_by", OVERDUE);
    jobs.insert(
        1, "state, run_at, attempt, start_by", "'retrying', now() + interval '1 h', 1, " + PAST);

    loop().runOnce();

    assertEquals(
        "4 cancelled expired",
        database.sql(
            "SELECT count(*) || ' ' || min(state) || ' ' || max(state_reason) FROM finished_jobs"));
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void leavesWhatRunsAndWhatHasTime() throws Exception {
    jobs.register(77);
    jobs.insert(1, "state, ready_at, start_by", "'ready', now(), now() + interval '1 h'");
    jobs.claim(77, 1);
    database.sql("UPDATE jobs SET start_by = now() - interval '1 s'");
    jobs.insert(1, "state, ready_at, start_by", "'ready', now(), now() + interval '1 h'");
    jobs.insertReady(1);
    // One that has expired, so that there is a reason to look.
    jobs.insert(1, "state, ready_at, start_by", OVERDUE);

    loop().runOnce();

    assertEquals("3", database.sql("SELECT count(*) FROM jobs"));
    assertEquals("1", database.sql("SELECT count(*) FROM finished_jobs"));
  }

  @Test
  void childrenLearnTheFateOfAnExpiredParent() throws Exception {
    int cancels = submit("cancel");
    int holds = submit("hold");

    loop().runOnce();
    assertEquals("2", database.sql("SELECT count(*) FROM pending_releases"));
    database.sql("SELECT count(*) FROM release_pending(1000)");

    String childOf =
        "SELECT string_agg(state, ' ') FROM all_jobs WHERE state_reason IS DISTINCT FROM 'expired'"
            + " AND workflow_id = ";
    assertEquals("skipped", database.sql(childOf + cancels));
    assertEquals("blocked", database.sql(childOf + holds));
  }

  @Test
  void rowThatIsBeingClaimedIsLeftToTheClaim() throws Exception {
    jobs.insert(5, "state, ready_at, start_by", OVERDUE);
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM jobs.jobs WHERE id = 2 FOR UPDATE");
      loop().runOnce();
      assertEquals("2", database.sql("SELECT string_agg(id::text, ' ') FROM jobs"));
      other.rollback();
    }
    loop().runOnce();
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void workflowThatIsBeingOperatedOnIsLeftForTheNextRound() throws Exception {
    int flow = submit("cancel");
    jobs.insert(3, "state, ready_at, start_by", OVERDUE);
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock(2, " + flow + ")");
      loop().runOnce();
      other.rollback();
    }
    assertEquals(
        "3 0",
        database.sql(
            "SELECT count(*) || ' ' || count(workflow_id) FROM finished_jobs"
                + " WHERE state_reason = 'expired'"));
    loop().runOnce();
    assertEquals("1", database.sql("SELECT count(workflow_id) FROM finished_jobs"));
  }

  @Test
  void expiresAllInBoundedBatches() throws Exception {
    jobs.insert(23, "state, ready_at, start_by", OVERDUE);
    assertEquals(
        10,
        rig.transactions
            .run(rig.term(), t -> ExpiryStore.expireJobs(t, 10, List.of()))
            .projectIds()
            .size());

    loop("jobs.scheduler.expiry.batch", "5").runOnce();

    assertEquals("23", database.sql("SELECT count(*) FROM finished_jobs"));
  }

  @Test
  void jobsThatCannotBeEndedHoldUpNobodyAndAreReportedOnce() throws Exception {
    // The first five in the order of the batches, so that one batch holds nothing else.
    jobs.insert(12, "state, ready_at, priority, start_by", "'ready', now(), i / 6, " + PAST);
    database.sql("ALTER TABLE finished_jobs ADD CONSTRAINT poison CHECK (priority <> 0)");
    ExpiryLoop loop = loop("jobs.scheduler.expiry.batch", "5");
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      loop.runOnce();
      assertEquals("7", database.sql("SELECT count(*) FROM finished_jobs"));
      rig.clock.advance(Duration.ofSeconds(11));
      loop.runOnce();

      List<String> errors = log.messages();
      assertEquals(5, errors.size(), errors::toString);
      assertTrue(errors.get(0).contains("job_id=1 reason=new row for relation"), errors.get(0));
    }
    database.sql("ALTER TABLE finished_jobs DROP CONSTRAINT poison");
    rig.clock.advance(Duration.ofMinutes(1));
    loop.runOnce();
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void standbyEndsNothing() throws Exception {
    jobs.insert(1, "state, ready_at, start_by", OVERDUE);
    ExpiryLoop loop = loop();
    rig.leadership.close();

    loop.runOnce();

    assertNull(database.sql("SELECT state FROM finished_jobs"));
  }

  @Test
  void tellsTheDashboard() throws Exception {
    jobs.insert(1, "state, ready_at, start_by", OVERDUE);
    try (Hearing dashboard = new Hearing(database, "jobs_changed")) {
      loop().runOnce();
      assertEquals("p jobs,queues", dashboard.next());
    }
  }

  @Test
  void readsOnlyWhatHasExpired() throws Exception {
    jobs.insert(
        20_000,
        "state, ready_at, start_by",
        "'ready', now(), now() + interval '1 h' + (i * 7919 % 20000) * interval '1 s'");
    jobs.insert(5, "state, ready_at, start_by", OVERDUE);
    database.sql("ANALYZE jobs");

    long buffers = Buffers.of(database, "SELECT * FROM jobs.expire_jobs(500, '{}')");
    assertTrue(buffers < 5_000, "buffers read: " + buffers);
  }

  /** A workflow of an overdue root and a child that waits for its success. */
  private int submit(String onFailure) {
    int flow =
        Integer.parseInt(
            database.sql(
                "INSERT INTO workflows (project_id, name, job_count, on_failure) VALUES (1, 'w', 2,"
                    + " '"
                    + onFailure
                    + "') RETURNING id"));
    jobs.insert(
        1,
        "state, ready_at, start_by, workflow_id, has_dependents",
        OVERDUE + ", " + flow + ", true");
    jobs.insert(1, "state, workflow_id, has_dependencies", "'blocked', " + flow + ", true");
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id)"
            + " SELECT max(id), min(id), workflow_id FROM jobs WHERE workflow_id = "
            + flow
            + " GROUP BY workflow_id");
    return flow;
  }

  private ExpiryLoop loop(String... keysAndValues) {
    return new ExpiryLoop(
        rig.leadership,
        rig.transactions,
        rig.agenda,
        rig.signals,
        Configs.of(ExpiryConfig.class, keysAndValues),
        rig.loops,
        rig.clock);
  }
}
