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

/** Planned times of the past that are run now. */
class BackfillPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Firer firer;
  private Schedules schedules;

  /** A schedule each ten minutes, next in five; nothing of the past is noted. */
  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    firer = Firers.of(rig);
    schedules = new Schedules(database);
    schedules.insert("interval '10 min', interval '-5 min'", "", "");
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Asks for the last hour, six planned times. */
  private void ask(String overlap, String reprocess) {
    database.sql(
        "INSERT INTO backfills (schedule_id, range_from, range_to, overlap_policy, reprocess,"
            + " planned, requested_by) SELECT 1, anchor - interval '1 hour', anchor, '"
            + overlap
            + "', '"
            + reprocess
            + "', 6, 'me' FROM schedules");
  }

  private void round() throws Exception {
    firer.lookAgain();
    firer.runOnce();
  }

  private String progress() {
    return database.sql(
        "SELECT string_agg(concat_ws(' ', state, accepted, skipped, left_alone), ',' ORDER BY id)"
            + " FROM backfills");
  }

  /** Notes a run of the planned time {@code n} x 10 minutes ago, ended in a state. */
  private void ran(int n, String state) {
    schedules.insertLiveJob();
    database.sql(
        "INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, job_id, fired_at)"
            + " SELECT 1, anchor - "
            + n
            + " * interval '10 min', 'scheduled', 'fired', (SELECT max(id) FROM jobs), now()"
            + " FROM schedules");
    if (!state.equals("ready")) {
      schedules.endJobs(state);
    }
  }

  @Test
  void runsAllTimesOfTheRangeAtOnceWithLowPriorityAndMovesNothing() throws Exception {
    String next = schedules.of("next_fire_at");
    ask("allow", "missing");

    round();

    assertEquals("completed 6 0 0", progress());
    assertEquals(
        "6 t 0 t",
        schedules.ofJobs(
            "concat_ws(' ', count(DISTINCT planned_at), bool_and(planned_at IN"
                + " (SELECT anchor - n * interval '10 min' FROM schedules, generate_series(1, 6) n)),"
                + " max(priority), bool_and(state = 'ready'))"));
    assertEquals(
        "6 backfill me 1 6",
        schedules.ofFires(
            "concat_ws(' ', count(*), max(trigger), max(requested_by), min(sequence), max(sequence))"));
    assertEquals(next + " 0", schedules.of("concat_ws(' ', next_fire_at, run_count)"));
  }

  @Test
  void leavesAloneWhatHasRunUnlessItIsAskedFor() throws Exception {
    ran(1, "succeeded");
    ran(2, "dead");

    ask("allow", "missing");
    round();
    assertEquals("completed 4 0 2", progress());
    schedules.endJobs("succeeded");

    ask("allow", "failed");
    round();
    assertEquals("completed 4 0 2,completed 1 0 5", progress());
    assertEquals(
        "1 1", schedules.ofFires("concat_ws(' ', max(run), count(*) FILTER (WHERE run = 1))"));
    schedules.endJobs("succeeded");

    ask("allow", "all");
    round();
    assertEquals("completed 4 0 2,completed 1 0 5,completed 6 0 0", progress());
    assertEquals("2", schedules.ofFires("max(run)"));
  }

  @Test
  void leavesAloneWhatStillRunsWhateverIsAskedFor() throws Exception {
    ran(1, "ready");
    ask("allow", "all");

    round();

    assertEquals("completed 5 0 1", progress());
  }

  @Test
  void runsOneAfterTheOtherAndIsCompleteWithTheLast() throws Exception {
    ask("queue_all", "missing");

    round();

    assertEquals(
        "1 5", schedules.ofJobs("concat_ws(' ', count(*), (SELECT queued FROM schedules))"));
    for (int run = 1; run < 6; run++) {
      assertEquals("running 6 0 0", progress());
      schedules.endJobs("succeeded");
      round();
      assertEquals("1 0", schedules.ofJobs("concat_ws(' ', count(*), max(priority))"));
    }
    round();
    assertEquals("completed 6 0 0", progress());
    assertEquals(
        "t",
        schedules.ofFires(
            "array_agg(planned_at ORDER BY job_id) = array_agg(planned_at ORDER BY planned_at)"));
  }

  @Test
  void skipsWhatOverlapsWhenToldSo() throws Exception {
    ask("skip", "missing");

    round();

    assertEquals("completed 1 5 0", progress());
    assertEquals("5", schedules.ofFires("count(*) FILTER (WHERE reason = 'overlap')"));
  }

  @Test
  void abortDropsWhatWaits() throws Exception {
    ask("queue_all", "missing");
    round();

    assertEquals(
        "aborted 5",
        database.sql("SELECT concat_ws(' ', state, dropped) FROM abort_backfill(1, 1, 1, NULL)"));

    schedules.endJobs("succeeded");
    round();
    assertEquals("0", schedules.ofJobs("count(*)"));
    assertEquals("0", schedules.of("queued"));
    assertEquals("5", schedules.ofFires("count(*) FILTER (WHERE reason = 'aborted')"));
  }

  @Test
  void pausedScheduleIsStillBackfilled() throws Exception {
    database.sql("UPDATE schedules SET state = 'paused', next_fire_at = NULL, paused_at = now()");
    ask("queue_all", "missing");

    round();
    schedules.endJobs("succeeded");
    round();

    assertEquals("1", schedules.ofJobs("count(*)"));
    assertEquals("4", schedules.of("queued"));
  }

  @Test
  void backfillThatCannotBeReckonedIsGivenUp() throws Exception {
    database.sql("UPDATE schedules SET every_ms = 1500");
    ask("allow", "missing");
    ask("allow", "missing");

    round();

    assertEquals("aborted 0 0 0,aborted 0 0 0", progress());
    assertTrue(database.sql("SELECT error FROM backfills WHERE id = 1").contains("whole seconds"));
  }
}
