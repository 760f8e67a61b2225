package io.jobscheduler.scheduler.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of planned times: on time, missed, overlapping, out of bounds. */
class FirerPgTest {
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
  void makesTheJobThatIsPlannedAndMovesOn() throws Exception {
    schedules.insert(
        Schedules.JUST_DUE,
        ", payload, priority, max_attempts, timeout_ms, start_within_ms, cost, concurrency_key,"
            + " retry_policy, time_zone",
        ", '{\"at\": \"{{plannedAt}}\", \"local\": \"{{plannedLocal}}\", \"{{schedule}}\":"
            + " [\"{{schedule}}\", \"{{sequence}}\", \"{{trigger}}\", \"{{missedCount}}\"],"
            + " \"same\": \"\\\"{{schedule}}\\\"\", \"n\": 1e2}', 7, 3, 60000, 30000, 2, 'k',"
            + " '{\"strategy\": \"fixed\"}', 'Asia/Kolkata'");
    String planned =
        schedules.of("to_char(anchor AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS')");
    String local =
        schedules.of("to_char(anchor AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM-DD\"T\"HH24:MI:SS')");

    firer.runOnce();
    firer.runOnce();

    assertEquals("fired/scheduled", schedules.fires());
    assertEquals(
        "{\"at\": \""
            + planned
            + "Z\", \"local\": \""
            + local
            + "+05:30\", \"{{schedule}}\": [\"s1\", 1, \"scheduled\", 0],"
            + " \"same\": \"\\\"{{schedule}}\\\"\", \"n\": 1e2}",
        schedules.ofJobs("payload"));
    assertEquals(
        "ready 7 3 60000 2 k fixed t 00:00:30",
        schedules.ofJobs(
            "concat_ws(' ', state, priority, max_attempts, timeout_ms, cost, concurrency_key,"
                + " retry_policy ->> 'strategy', type, start_by - ready_at)"));
    assertEquals(
        "t",
        database.sql(
            "SELECT s.next_fire_at = s.anchor + interval '1 hour' AND s.planned_to = s.anchor"
                + " AND s.sequence = 1 AND s.run_count = 1 AND j.planned_at = s.anchor"
                + " AND j.schedule_id = s.id AND j.id = f.job_id AND f.run = 0"
                + " FROM schedules s, jobs j, schedule_fires f"));
  }

  @Test
  void firesOnTheInstantWithoutATick() throws Exception {
    schedules.insert("interval '1 hour', interval '-2 s'", "", "");
    firer.runOnce(); // Reads what lies ahead.
    while (schedules.fires() == null) {
      firer.runOnce(); // Sleeps until then.
    }

    assertTrue(
        Integer.parseInt(schedules.ofFires("extract(milliseconds FROM fired_at - planned_at)::int"))
            < 1_000);
    assertEquals("t", schedules.ofFires("fired_at >= planned_at"));
  }

  @Test
  void firesOnceForAllThatWasMissed() throws Exception {
    schedules.insert("interval '10 min', interval '105 min'", "", "");

    firer.runOnce();

    assertEquals("missed/scheduled/misfire-policy,fired/catch_up", schedules.fires());
    assertEquals(
        "10 10 t t",
        schedules.ofFires(
            "concat_ws(' ', max(missed_count) FILTER (WHERE outcome = 'missed'),"
                + " max(missed_count) FILTER (WHERE outcome = 'fired'),"
                + " max(planned_at) = max(missed_to) + interval '10 min',"
                + " max(missed_to) - max(missed_from) = interval '90 min')"));
  }

  @Test
  void firesEachThatWasMissedUpToItsLimitOldestFirst() throws Exception {
    schedules.insert(
        "interval '10 min', interval '105 min'",
        ", misfire_policy, max_catch_up, overlap_policy",
        ", 'fire_all', 3, 'allow'");

    firer.runOnce();

    assertEquals(
        "missed/scheduled/catch-up-limit,fired/catch_up,fired/catch_up,fired/catch_up",
        schedules.fires());
    assertEquals(
        "t",
        schedules.ofFires(
            "array_agg(planned_at ORDER BY job_id) FILTER (WHERE job_id IS NOT NULL)"
                + " = array_agg(planned_at ORDER BY planned_at) FILTER (WHERE job_id IS NOT NULL)"));
    assertEquals("8", schedules.ofFires("max(missed_count)"));
  }

  @Test
  void firesNoneThatWasMissedWhenThePolicySaysSo() throws Exception {
    schedules.insert("interval '10 min', interval '105 min'", ", misfire_policy", ", 'skip'");

    firer.runOnce();

    assertEquals("missed/scheduled/misfire-policy", schedules.fires());
    assertEquals("0 f", schedules.of("concat_ws(' ', run_count, next_fire_at <= now())"));
  }

  @Test
  void runsNothingThatWasPlannedBeforeTheCatchUpWindow() throws Exception {
    schedules.insert(
        "interval '1 hour', interval '90 min'",
        ", misfire_policy, catch_up_window_ms, overlap_policy",
        ", 'fire_all', 3600000, 'allow'");

    firer.runOnce();

    assertEquals("missed/scheduled/catch-up-window,fired/catch_up", schedules.fires());
  }

  @Test
  void skipsWhileAnEarlierRunLives() throws Exception {
    schedules.insert(Schedules.JUST_DUE, "", "");
    schedules.insertLiveJob();

    firer.runOnce();

    assertEquals("skipped/scheduled/overlap", schedules.fires());
    assertEquals("1", schedules.ofJobs("count(*)"));
  }

  @Test
  void runsBesideAnEarlierRunWhenAllowed() throws Exception {
    schedules.insert(Schedules.JUST_DUE, ", overlap_policy", ", 'allow'");
    schedules.insertLiveJob();

    firer.runOnce();

    assertEquals("fired/scheduled", schedules.fires());
    assertEquals("2", schedules.ofJobs("count(*)"));
  }

  @Test
  void queuesOneAndStartsItWhenTheEarlierRunEnds() throws Exception {
    schedules.insert("interval '10 s', interval '25 s'", ", overlap_policy", ", 'queue_one'");
    schedules.insertLiveJob();

    firer.runOnce();

    assertEquals(
        "queued/scheduled,skipped/scheduled/queue-full,skipped/scheduled/queue-full",
        schedules.fires());
    assertEquals("1", schedules.ofJobs("count(*)"));

    schedules.endJobs("succeeded");
    firer.lookAgain();
    firer.runOnce();

    assertEquals(
        "fired/scheduled,skipped/scheduled/queue-full,skipped/scheduled/queue-full",
        schedules.fires());
    assertEquals("0", schedules.of("queued"));
    assertEquals(
        "t",
        database.sql(
            "SELECT j.id = f.job_id FROM jobs j, schedule_fires f WHERE f.outcome = 'fired'"));
  }

  @Test
  void queuesAllUpToItsBoundAndStartsThemOneByOne() throws Exception {
    schedules.insert(
        "interval '10 s', interval '45 s'", ", overlap_policy, queue_bound", ", 'queue_all', 2");

    firer.runOnce();

    assertEquals(
        "fired/scheduled,queued/scheduled,queued/scheduled,skipped/scheduled/queue-full,"
            + "skipped/scheduled/queue-full",
        schedules.fires());
    for (int run = 1; run <= 3; run++) {
      assertEquals(Integer.toString(run), schedules.ofJobs("max(id) * count(*)"));
      firer.lookAgain();
      firer.runOnce();
      assertEquals("1", schedules.ofJobs("count(*)"));
      schedules.endJobs("succeeded");
      firer.lookAgain();
      firer.runOnce();
    }
    assertEquals("0", schedules.ofJobs("count(*)"));
  }

  /** Elsewhere a flag on the schedule waits for ever for a run that ended out of turn. */
  @Test
  void whateverEndsARunTheNextTimeFires() throws Exception {
    schedules.insert("interval '1 hour', interval '-1 hour'", "", "");
    for (String end : new String[] {"dead", "cancelled", "skipped", "succeeded", "deleted"}) {
      schedules.insertLiveJob();
      if (end.equals("deleted")) {
        database.sql("DELETE FROM jobs");
      } else {
        schedules.endJobs(end);
      }
      database.sql(
          "UPDATE schedules SET anchor = anchor - interval '1 h', next_fire_at = now(),"
              + " planned_to = date_trunc('second', now()) - interval '20 s'");
      database.sql("UPDATE schedules SET anchor = date_trunc('second', now()) - interval '10 s'");
      firer.lookAgain();
      firer.runOnce();
      assertEquals("1", schedules.ofJobs("count(*)"), end);
      assertEquals("t", schedules.ofFires("bool_and(outcome = 'fired')"), end);
      database.sql("DELETE FROM schedule_fires");
      schedules.endJobs("succeeded");
    }
  }

  @Test
  void editedScheduleFiresNothingOfItsNewPast() throws Exception {
    schedules.insert("interval '1 hour', interval '90 min'", "", "");
    database.sql(
        "UPDATE schedules SET every_ms = 600000, planned_to = now(),"
            + " next_fire_at = now() - interval '1 min'");

    firer.runOnce();

    assertEquals(null, schedules.fires());
    assertEquals("t", schedules.of("next_fire_at BETWEEN now() AND now() + interval '10 min'"));
  }

  @Test
  void cancelsThePreviousRunWhenToldSo() throws Exception {
    schedules.insert("interval '10 s', interval '15 s'", ", overlap_policy", ", 'cancel_previous'");
    schedules.insertLiveJob();

    firer.runOnce();

    assertEquals("skipped/scheduled/superseded,fired/scheduled", schedules.fires());
    assertEquals("1", schedules.ofJobs("count(*)"));
    assertEquals(
        "cancelled", database.sql("SELECT state FROM finished_jobs WHERE schedule_id = 1"));
  }
}
