package io.jobscheduler.scheduler.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.leadership.NotLeadingException;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.signal.DueSignals;
import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Background;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One fire per planned time, whoever else is at work. */
class FirerRacePgTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String COUNT_BATCHES =
      "SELECT coalesce(sum(s.calls), 0)::int FROM pg_stat_statements s"
          + " WHERE s.query LIKE '%jobs.fire_schedules(%' AND s.dbid ="
          + " (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Schedules schedules;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    schedules = new Schedules(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void twoReplicasAtOnceFireEachTimeOnce() throws Exception {
    schedules.insert(600, "interval '5 s', interval '23 s'", ", overlap_policy", ", 'allow'");
    Firer first = Firers.of(rig, "jobs.scheduler.cron.batch", "37");
    Firer second = Firers.of(rig, "jobs.scheduler.cron.batch", "41");

    Background<Void> beside = Background.start(() -> work(second));
    work(first);
    beside.result();

    assertEachOnce(600);
    assertTrue(Integer.parseInt(schedules.ofJobs("count(*)")) >= 600 * 5);
  }

  private Void work(Firer firer) throws Exception {
    Await.until(
        "nothing is due",
        SOON,
        () -> {
          firer.lookAgain();
          firer.runOnce();
          return database
              .sql("SELECT count(*) FROM schedules WHERE next_fire_at < now() - interval '1 s'")
              .equals("0");
        });
    return null;
  }

  @Test
  void timeThatIsDecidedAlreadyIsPassedOver() throws Exception {
    schedules.insert(Schedules.JUST_DUE, "", "");
    database.sql(
        "INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, job_id, fired_at)"
            + " SELECT 1, anchor, 'backfill', 'fired', 77, now() FROM schedules");

    Firers.of(rig).runOnce();

    assertEquals("fired/backfill", schedules.fires());
    assertEquals("0", schedules.ofJobs("count(*)"));
    assertEquals("t", schedules.of("next_fire_at > now()"));
  }

  @Test
  void leaderWhoseTermIsOverChangesNothing() throws Exception {
    schedules.insert(Schedules.JUST_DUE, "", "");
    Term stale = rig.term();
    DueSchedules due =
        new DueSchedules(
            rig.transactions,
            new Rules(),
            new FireReport(rig.signals, new DueSignals(), new FireFigures()),
            Configs.of(CronConfig.class),
            System::nanoTime,
            next -> {});
    rig.leadership.close();
    rig.leadership.runOnce();

    assertThrows(NotLeadingException.class, () -> due.fire(stale));

    assertEquals(null, schedules.fires());
  }

  /** The tick waits for a lock when its leader's session ends and another takes over. */
  @Test
  void lockSessionKilledInMidTickLosesAndDoublesNothing() throws Exception {
    schedules.insert(50, "interval '5 s', interval '13 s'", ", overlap_policy", ", 'allow'");
    Firer old = Firers.of(rig);
    try (Connection held = database.superuser();
        Statement statement = held.createStatement();
        SchedulerRig next = new SchedulerRig(database, "next")) {
      held.setAutoCommit(false);
      statement.execute("LOCK TABLE jobs.schedule_fires IN SHARE MODE");
      Background<Void> tick =
          Background.start(
              () -> {
                // Its term ends with this transaction; a later one of the same round is refused.
                assertThrows(NotLeadingException.class, old::runOnce);
                return null;
              });
      Await.until("in mid-tick", SOON, () -> waiting("RowExclusiveLock"));
      try (Connection killer = database.superuser();
          Statement kill = killer.createStatement()) {
        kill.execute("SELECT pg_terminate_backend(l.pid) FROM jobs.leadership l");
      }
      Background<Void> takeover =
          Background.start(
              () -> {
                Await.until(
                    "leads",
                    SOON,
                    () -> {
                      next.leadership.runOnce();
                      return next.leadership.current().isPresent();
                    });
                return null;
              });
      Await.until("waits for the tick", SOON, () -> waiting("transactionid"));
      held.rollback();
      tick.result();
      takeover.result();

      Firer successor = Firers.of(next);
      work(successor);
      assertEachOnce(50);
    }
  }

  private boolean waiting(String what) {
    return !database
        .sql(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND (mode = '"
                + what
                + "' OR locktype = '"
                + what
                + "')")
        .equals("0");
  }

  /** A thousand due at once: the statements are counted, whatever each of them costs. */
  @Test
  void thousandsDueAtOnceAreInsertedInBoundedBatches() throws Exception {
    schedules.insert(2_000, Schedules.JUST_DUE, "", "");
    Firer firer = Firers.of(rig);
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
      statement.execute("SELECT pg_stat_statements_reset()");

      work(firer);

      assertEquals("2000", schedules.ofJobs("count(*)"));
      try (ResultSet row = statement.executeQuery(COUNT_BATCHES)) {
        row.next();
        int batches = row.getInt(1);
        assertTrue(batches >= 4 && batches <= 8, "batches: " + batches);
      }
    }
  }

  @Test
  void editInFlightHoldsUpItsOwnScheduleOnly() throws Exception {
    schedules.insert(3, Schedules.JUST_DUE, "", "");
    Firer firer = Firers.of(rig);
    try (Connection editor = database.superuser();
        Statement statement = editor.createStatement()) {
      editor.setAutoCommit(false);
      statement.execute("UPDATE jobs.schedules SET description = 'x' WHERE id = 1");

      firer.runOnce();
      assertEquals("2", schedules.ofJobs("count(*)"));

      editor.commit();
    }
    firer.lookAgain();
    firer.runOnce();
    assertEquals("3", schedules.ofJobs("count(*)"));
  }

  private void assertEachOnce(int count) {
    assertEquals(
        Integer.toString(count), database.sql("SELECT count(DISTINCT schedule_id) FROM jobs"));
    assertEquals(
        "t t t",
        database.sql(
            "SELECT concat_ws(' ', count(*) = count(DISTINCT (f.schedule_id, f.planned_at)),"
                + " bool_and(j.id IS NOT NULL),"
                + " count(*) = (SELECT count(*) FROM jobs))"
                + " FROM schedule_fires f LEFT JOIN jobs j ON j.id = f.job_id"
                + " AND j.schedule_id = f.schedule_id AND j.planned_at = f.planned_at"));
    assertEquals(
        null,
        database.sql(
            "SELECT string_agg(s.id::text, ',') FROM schedules s WHERE (SELECT count(*)"
                + " FROM schedule_fires f WHERE f.schedule_id = s.id)"
                + " <> extract(epoch FROM s.planned_to - s.anchor) * 1000 / s.every_ms + 1"));
  }
}
