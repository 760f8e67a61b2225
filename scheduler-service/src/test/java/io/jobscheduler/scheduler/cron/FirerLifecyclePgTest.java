package io.jobscheduler.scheduler.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.times.TimeZones;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How a schedule begins, pauses, ends and breaks. */
class FirerLifecyclePgTest {
  private static final String WORKFLOW =
      "{\"name\": \"nightly\", \"jobs\": [{\"key\": \"a\", \"type\": \"t\", \"queueId\": %d,"
          + " \"payload\": [\"{{sequence}}\"], \"priority\": 7}, {\"key\": \"b\", \"type\": \"t\","
          + " \"queueId\": 1}], \"edges\": [{\"parent\": \"a\", \"child\": \"b\"}]}";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Firer firer;
  private Schedules schedules;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    firer = Firers.of(rig);
    schedules = new Schedules(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void corruptSchedulesDisableThemselvesAndHoldUpNobody() throws Exception {
    schedules.insert(4, Schedules.JUST_DUE, "", "");
    database.sql("UPDATE schedules SET time_zone = 'Mars/Olympus' WHERE id = 1");
    database.sql(
        "UPDATE schedules SET kind = 'cron', expression = '61 * * * *', dialect = 'unix',"
            + " every_ms = NULL, anchor = NULL WHERE id = 2");
    database.sql("UPDATE schedules SET every_ms = 1500 WHERE id = 3");

    firer.runOnce();

    assertEquals(
        "disabled,disabled,disabled,active",
        database.sql("SELECT string_agg(state, ',' ORDER BY id) FROM schedules"));
    assertTrue(schedules.of("disabled_reason").contains("Mars/Olympus"));
    assertEquals("1", schedules.ofJobs("count(*)"));
  }

  @Test
  void scheduleWhoseRunsCannotBeStoredIsFoundAndDisabled() throws Exception {
    schedules.insert(9, Schedules.JUST_DUE, "", "");
    database.sql(
        "UPDATE schedules SET template = 'workflow', job_type = NULL, queue_id = NULL, workflow = '"
            + WORKFLOW.formatted(99)
            + "' WHERE id = 5");

    firer.runOnce();

    assertEquals(
        "5",
        database.sql("SELECT string_agg(id::text, ',') FROM schedules WHERE state = 'disabled'"));
    assertEquals("8", schedules.ofJobs("count(*)"));
    assertEquals("8", database.sql("SELECT count(*) FROM schedule_fires"));
    assertTrue(
        database.sql("SELECT disabled_reason FROM schedules WHERE id = 5").contains("23502"));
  }

  @Test
  void makesTheWorkflowThatIsPlanned() throws Exception {
    schedules.insert(Schedules.JUST_DUE, "", "");
    database.sql(
        "UPDATE schedules SET template = 'workflow', job_type = NULL, queue_id = NULL, workflow = '"
            + WORKFLOW.formatted(1)
            + "'");

    firer.runOnce();

    assertEquals(
        "nightly 2 t",
        database.sql(
            "SELECT concat_ws(' ', w.name, w.job_count, w.id = f.workflow_id)"
                + " FROM workflows w, schedule_fires f"));
    assertEquals(
        "a/ready/7/[1]/f/t,b/blocked/4//t/f",
        schedules.ofJobs(
            "string_agg(concat(workflow_key, '/', state, '/', priority, '/', payload, '/',"
                + " has_dependencies, '/', has_dependents), ',' ORDER BY id)"));
    assertEquals("2", database.sql("SELECT count(*) FROM workflow_members"));
    assertEquals(
        "t",
        database.sql(
            "SELECT d.parent_id = a.id AND d.child_id = b.id FROM dependencies d, jobs a, jobs b"
                + " WHERE a.workflow_key = 'a' AND b.workflow_key = 'b'"));
  }

  @Test
  void pausesItselfWhenItsNewestRunsHaveFailed() throws Exception {
    schedules.insert(Schedules.JUST_DUE, ", auto_pause_after", ", 2");
    for (String state : new String[] {"dead", "succeeded", "dead", "cancelled"}) {
      schedules.insertLiveJob();
      schedules.endJobs(state);
    }
    firer.runOnce();
    assertEquals("active 1", schedules.of("concat_ws(' ', state, consecutive_failures)"));
    assertEquals("fired/scheduled", schedules.fires());

    schedules.endJobs("dead");
    database.sql("UPDATE schedules SET next_fire_at = now(), planned_to = now() - interval '2 h'");
    firer.lookAgain();
    firer.runOnce();

    assertEquals(
        "paused 2 scheduler t t",
        schedules.of(
            "concat_ws(' ', state, consecutive_failures, paused_by, next_fire_at IS NULL,"
                + " pause_reason LIKE 'auto-pause: 2 %')"));
    assertEquals("fired/scheduled", schedules.fires());
  }

  @Test
  void failuresBeforeItWasResumedDoNotCount() throws Exception {
    schedules.insert(Schedules.JUST_DUE, ", auto_pause_after", ", 1");
    schedules.insertLiveJob();
    schedules.endJobs("dead");
    database.sql("UPDATE schedules SET failures_since = clock_timestamp()");

    firer.runOnce();

    assertEquals("active", schedules.of("state"));
  }

  @Test
  void resumesWhenItsPauseHasRunOutAndLeavesWhatItHeldBack() throws Exception {
    schedules.insert("interval '10 min', interval '2 h'", "", "");
    database.sql(
        "UPDATE schedules SET state = 'paused', next_fire_at = NULL, paused_at = now(),"
            + " paused_by = 'me', paused_until = now() - interval '15 s'");

    firer.runOnce();

    assertEquals(
        "active t t",
        schedules.of("concat_ws(' ', state, paused_by IS NULL, next_fire_at > now())"));
    // At most the one time that may lie in the fifteen seconds since.
    assertEquals(null, schedules.ofFires("max(missed_count) FILTER (WHERE outcome = 'missed')"));
  }

  @Test
  void endsAtItsEndAndAfterItsRuns() throws Exception {
    schedules.insert(2, "interval '10 s', interval '35 s'", ", overlap_policy", ", 'allow'");
    database.sql("UPDATE schedules SET end_at = anchor + interval '20 s' WHERE id = 1");
    database.sql("UPDATE schedules SET max_runs = 3 WHERE id = 2");

    firer.runOnce();

    assertEquals(
        "1 completed 2,2 completed 3",
        database.sql(
            "SELECT string_agg(concat_ws(' ', id, state, run_count), ',' ORDER BY id)"
                + " FROM schedules"));
    assertEquals("5", schedules.ofJobs("count(*)"));
    assertEquals("5", database.sql("SELECT count(*) FROM schedule_fires"));
  }

  @Test
  void plansNothingOnExcludedDates() throws Exception {
    schedules.insert(
        "interval '1 min', interval '10 s'",
        ", exclusions",
        ", ARRAY[(now() AT TIME ZONE 'UTC' - interval '1 min')::date, (now() AT TIME ZONE 'UTC')::date]");

    firer.runOnce();

    assertEquals(null, schedules.fires());
    assertEquals(
        "t",
        schedules.of(
            "next_fire_at - date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'"
                + " BETWEEN interval '1 day' AND interval '1 day 1 min'"));
  }

  @Test
  void jitterMovesTheJobAndNotThePlannedTime() throws Exception {
    schedules.insert(20, Schedules.JUST_DUE, ", jitter_ms", ", 1800000");

    firer.runOnce();

    assertEquals(
        "20 t t t",
        database.sql(
            "SELECT concat_ws(' ', count(*), bool_and(f.planned_at = s.anchor),"
                + " bool_and(j.run_at IS NULL OR j.run_at - s.anchor BETWEEN interval '10 s'"
                + " AND interval '30 min'), count(DISTINCT j.run_at) > 10)"
                + " FROM jobs j JOIN schedule_fires f ON f.job_id = j.id"
                + " JOIN schedules s ON s.id = f.schedule_id"));
    assertEquals("t", schedules.ofJobs("bool_and((state = 'scheduled') = (run_at IS NOT NULL))"));
  }

  @Test
  void reckonsAnewWhatWasReckonedWithOtherTimeZoneData() throws Exception {
    schedules.insert("interval '1 h', interval '-30 min'", "", "");
    database.sql(
        "UPDATE schedules SET kind = 'cron', expression = '0 12 * * *', dialect = 'unix',"
            + " every_ms = NULL, anchor = NULL, time_zone = 'Europe/Berlin', tzdb_version = '1999a',"
            + " planned_to = '2026-01-10 11:00Z', next_fire_at = '2199-01-11 11:00Z'");

    firer.runOnce();

    assertEquals(
        TimeZones.version() + " t",
        schedules.of(
            "concat_ws(' ', tzdb_version,"
                + " next_fire_at AT TIME ZONE 'Europe/Berlin' > now() - interval '2 days')"));
  }

  @Test
  void forgetsFiresWhoseTimeIsUp() throws Exception {
    schedules.insert(Schedules.JUST_DUE, "", "");
    database.sql(
        "INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, reason, decided_at)"
            + " VALUES (1, now() - interval '91 d', 'scheduled', 'skipped', 'overlap',"
            + " now() - interval '91 d')");

    firer.runOnce();

    assertEquals("fired/scheduled", schedules.fires());
  }
}
