package io.jobscheduler.scheduler.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.leadership.NotLeadingException;
import io.jobscheduler.scheduler.leadership.Term;
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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BulkLoopPgTest {
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

  /** Jobs that are dead, all of one error. */
  private void dead(int count) {
    jobs.insertReady(count);
    database.sql(
        "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM jobs) j, LATERAL move_to_finished("
            + "j.ids, array_fill('dead'::text, ARRAY[cardinality(j.ids)]), array_fill('x'::text,"
            + " ARRAY[cardinality(j.ids)]), NULL, NULL, NULL, NULL, NULL)");
  }

  private long submit(String more) throws SQLException {
    return submit("\"action\": \"retry\", \"states\": [\"dead\"]", more);
  }

  private long submit(String what, String more) throws SQLException {
    try (Connection api = database.connect(Role.API);
        Statement statement = api.createStatement();
        var row =
            statement.executeQuery(
                "SELECT id FROM jobs.submit_bulk_action(1, '{\"filter\": {}, "
                    + what
                    + more
                    + "}', NULL, 'someone', 0)")) {
      row.next();
      return row.getLong(1);
    }
  }

  private BulkLoop loop(SchedulerRig of, String... keysAndValues) {
    return new BulkLoop(
        of.leadership,
        of.transactions,
        of.dataSource,
        of.agenda,
        of.signals,
        Configs.of(BulkConfig.class, keysAndValues),
        of.loops,
        of.clock);
  }

  private String shown(long action) {
    return database.sql(
        "SELECT concat_ws(' ', state, state_reason, matched, done, failed, skipped) FROM"
            + " bulk_actions WHERE id = "
            + action);
  }

  @Test
  void anActionIsCarriedOutAndWorkersAndDashboardAreTold() throws Exception {
    dead(23);
    long action = submit("");
    try (Hearing workers = new Hearing(database, "jobs_ready");
        Hearing dashboard = new Hearing(database, "jobs_changed")) {
      loop(rig, "jobs.scheduler.bulk.batch", "5", "jobs.scheduler.bulk.scan", "4").runOnce();
      assertTrue(workers.next().startsWith("1:4:"));
      assertEquals("p jobs,queues", dashboard.next().replace(",workflows", ""));
    }
    assertEquals("completed 23 23 0 {}", shown(action));
    assertEquals(23, jobs.count("ready"));
  }

  @Test
  void anotherLeaderGoesOnWhereTheFirstOneWasStopped() throws Exception {
    dead(10);
    long action = submit("");
    BulkConfig config = Configs.of(BulkConfig.class);
    Term first = rig.term();
    rig.transactions.run(first, t -> BulkStore.step(t, action, 3, config));
    assertEquals(
        3, rig.transactions.run(first, t -> BulkStore.step(t, action, 3, config)).worked());
    // Its next step is under way, and never commits, when another takes over.
    try (Connection lost = database.connect(Role.SCHEDULER);
        Statement statement = lost.createStatement()) {
      lost.setAutoCommit(false);
      statement.execute("SELECT jobs.step_bulk_action(" + action + ", 3, 100, 100)");
      lost.rollback();
    }
    try (SchedulerRig other = new SchedulerRig(database, "other")) {
      rig.leadership.close();
      other.leadership.runOnce();
      assertTrue(other.term().epoch() > first.epoch());
      assertThrows(
          NotLeadingException.class,
          () -> rig.transactions.run(first, t -> BulkStore.step(t, action, 3, config)));
      assertEquals("running 10 3 0 {}", shown(action));
      loop(other).runOnce();
    }
    assertEquals("completed 10 10 0 {}", shown(action));
    assertEquals(
        "10 1 1",
        database.sql(
            "SELECT concat_ws(' ', count(*), min(generation), max(generation)) FROM jobs"));
  }

  @Test
  void theWorkerOfARunningJobHearsThatItIsToEnd() throws Exception {
    jobs.register(77);
    jobs.insertReady(1);
    jobs.claim(77, 1);
    submit("\"action\": \"cancel\", \"states\": [\"running\"]", "");
    try (Hearing worker = new Hearing(database, "jobs_control")) {
      loop(rig).runOnce();
      assertEquals("77", worker.next());
    }
    assertEquals("1", database.sql("SELECT count(*) FROM cancel_requests"));
  }

  @Test
  void aStandbyDoesNothing() throws Exception {
    dead(1);
    long action = submit("");
    BulkLoop loop = loop(rig);
    rig.leadership.close();
    loop.runOnce();
    assertEquals("pending 0 0 0 {}", shown(action));
  }

  @Test
  void aJobThatCannotBeDoneIsNotedAndHoldsUpNoOther() throws Exception {
    dead(12);
    database.sql("UPDATE finished_jobs SET priority = 0 WHERE id IN (4, 5)");
    database.sql("ALTER TABLE jobs ADD CONSTRAINT poison CHECK (priority <> 0)");
    long action = submit("");
    try (LogCapture log = LogCapture.of(BulkLoop.class)) {
      loop(rig).runOnce();
      assertEquals(2, log.messages().size(), log.messages()::toString);
      assertTrue(log.messages().get(0).contains("job_id=4"), log.messages().get(0));
    }
    assertEquals("completed 12 10 2 {}", shown(action));
    assertEquals(
        "4 5 sqlstate-23514",
        database.sql(
            "SELECT concat_ws(' ', string_agg(job_id::text, ' ' ORDER BY job_id), min(reason)) FROM"
                + " bulk_action_jobs WHERE outcome = 'failed'"));
  }

  @Test
  void anUndoNamesTheJobsThatItCannotTakeBack() throws Exception {
    dead(6);
    database.sql("UPDATE finished_jobs SET priority = 0 WHERE id = 3");
    long action = submit("");
    BulkLoop loop = loop(rig);
    loop.runOnce();
    database.sql("ALTER TABLE finished_jobs ADD CONSTRAINT poison CHECK (priority <> 0)");
    try (Connection api = database.connect(Role.API);
        Statement statement = api.createStatement()) {
      statement.execute("SELECT jobs.undo_bulk_action(1, " + action + ", NULL)");
    }
    loop.runOnce();
    assertEquals(
        "undone 5 {\"sqlstate-23514\": 1}",
        database.sql("SELECT concat_ws(' ', state, undone, kept) FROM bulk_actions"));
    assertEquals("5", database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'dead'"));
    assertEquals("ready", jobs.of(3, "state"));
  }

  @Test
  void anActionThatFailsItselfBlamesNoJobAndHoldsUpNoOther() throws Exception {
    dead(3);
    long broken = submit("");
    database.sql(
        "ALTER TABLE bulk_actions ADD CONSTRAINT poison CHECK (id <> "
            + broken
            + " OR state <> 'running')");
    long sound = submit("");
    loop(rig).runOnce();
    assertEquals("pending 0 0 0 {}", shown(broken));
    assertEquals("completed 3 3 0 {}", shown(sound));
    assertEquals(1, rig.loops.all().stream().mapToInt(l -> l.passedOver()).sum());
  }

  @Test
  void aWorkflowThatIsBeingOperatedOnIsLeftForALaterPass() throws Exception {
    database.sql("INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'w', 1)");
    jobs.insert(1, "state, ready_at, workflow_id", "'ready', now(), 1");
    dead(5);
    long action = submit("");
    BulkLoop loop = loop(rig);
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock(2, 1)");
      loop.runOnce();
      assertEquals("running 6 5 0 {}", shown(action));
      other.rollback();
    }
    loop.runOnce();
    loop.runOnce();
    assertEquals("completed 6 6 0 {}", shown(action));
  }

  @Test
  void oneThatWaitsHoldsUpNoOther() throws Exception {
    dead(4);
    long waits = submit(", \"canary\": 1, \"stop_ratio\": 0");
    BulkLoop loop = loop(rig);
    loop.runOnce();
    assertEquals("canary 4 1 0 {}", shown(waits));
    long second = submit("");
    loop.runOnce();
    assertEquals("completed 3 3 0 {}", shown(second));
    assertEquals("canary 4 1 0 {}", shown(waits));
  }

  /** More than a round looks at, all of them waiting for a canary that nobody claims. */
  @Test
  void manyThatWaitHoldUpNoOther() throws Exception {
    dead(101);
    database.sql(
        "SELECT count(*) FROM (SELECT submit_bulk_action(1, jsonb_build_object('filter', '{}'::json,"
            + " 'action', 'retry', 'states', '[\"dead\"]'::json, 'canary', 1, 'stop_ratio', 0,"
            + " 'job_ids', jsonb_build_array(i)), NULL, 'someone', 10) FROM generate_series(1, 100)"
            + " AS s (i) OFFSET 0) s");
    BulkLoop loop = loop(rig);
    loop.runOnce();
    assertEquals("100", database.sql("SELECT count(*) FROM bulk_actions WHERE state = 'canary'"));
    long last = submit("");
    loop.runOnce();
    assertEquals("completed 1 1 0 {}", shown(last));
  }

  @Test
  void anUndoTellsWorkersOfWhatIsReadyAgain() throws Exception {
    jobs.insertReady(1);
    long action = submit("\"action\": \"cancel\", \"states\": [\"ready\"]", "");
    BulkLoop loop = loop(rig);
    loop.runOnce();
    database.sql("SELECT undo_bulk_action(1, %d, NULL)".formatted(action));
    try (Hearing workers = new Hearing(database, "jobs_ready")) {
      loop.runOnce();
      assertTrue(workers.next().startsWith("1:"));
    }
    assertEquals(1, jobs.count("ready"));
  }

  private void refuseRowsAbove(int most) {
    database.sql(
        """
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT count(*) FROM fresh) > %d THEN
            RAISE EXCEPTION 'takes too long' USING ERRCODE = '57014';
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER slow AFTER INSERT ON bulk_action_jobs REFERENCING NEW TABLE AS fresh
          FOR EACH STATEMENT EXECUTE FUNCTION slow()
        """
            .formatted(most));
  }

  @Test
  void aWalkThatTakesTooLongLooksAtFewerRows() throws Exception {
    dead(8);
    long action = submit("");
    refuseRowsAbove(3);
    BulkLoop loop = loop(rig, "jobs.scheduler.bulk.batch", "4", "jobs.scheduler.bulk.scan", "8");
    for (int round = 0; round < 20; round++) {
      loop.runOnce();
    }
    assertEquals("completed 8 8 0 {}", shown(action));
  }

  @Test
  void aWalkThatTakesTooLongEvenSoIsSaidAndPassedOver() throws Exception {
    dead(8);
    long action = submit("");
    refuseRowsAbove(0);
    BulkLoop loop = loop(rig, "jobs.scheduler.bulk.batch", "2", "jobs.scheduler.bulk.scan", "2");
    loop.runOnce();
    loop.runOnce();
    assertEquals("pending 0 0 0 {}", shown(action));
    assertEquals(1, rig.loops.all().stream().mapToInt(l -> l.passedOver()).sum());
  }

  /** A minute passes with each look at the clock, so a round has time for one of them. */
  @Test
  void whatARoundHasNoTimeToForgetTheNextOneDoes() throws Exception {
    dead(3);
    for (int i = 1; i <= 3; i++) {
      submit(", \"job_ids\": [" + i + "]");
    }
    loop(rig).runOnce();
    database.sql("UPDATE bulk_actions SET ended_at = now() - interval '31 days'");
    AtomicLong now = new AtomicLong();
    BulkLoop loop =
        new BulkLoop(
            rig.leadership,
            rig.transactions,
            rig.dataSource,
            rig.agenda,
            rig.signals,
            Configs.of(BulkConfig.class),
            rig.loops,
            () -> now.addAndGet(Duration.ofMinutes(1).toNanos()));
    for (int round = 0; round < 4; round++) {
      loop.runOnce();
    }
    assertEquals("0", database.sql("SELECT count(*) FROM bulk_actions"));
  }

  @Test
  void endedActionsAreForgottenAfterTheirTime() throws Exception {
    dead(7);
    long old = submit("");
    BulkLoop loop = loop(rig);
    loop.runOnce();
    long fresh = submit("");
    loop.runOnce();
    database.sql("UPDATE bulk_actions SET ended_at = now() - interval '31 days' WHERE id = " + old);
    rig.clock.advance(Duration.ofHours(2));
    loop.runOnce();
    assertEquals(
        Long.toString(fresh), database.sql("SELECT string_agg(id::text, ' ') FROM bulk_actions"));
    assertEquals(
        "0", database.sql("SELECT count(*) FROM bulk_action_jobs WHERE action_id = " + old));
  }
}
