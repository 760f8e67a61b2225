package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.judge.Plants.Plant;
import java.sql.SQLException;
import java.util.List;

/** Violations of limits, edges, schedules and walls: I4, I5, I6, I7. */
final class RulePlants {
  private RulePlants() {}

  static List<Plant> limits() {
    return List.of(
        new Plant(
            Invariant.I4,
            "a third lease at limit 2",
            (run, play) ->
                play.sql(
                    """
                    UPDATE finished_jobs SET started_at = (
                      SELECT max(started_at) FROM finished_jobs WHERE id IN (%d, %d)) WHERE id = %d
                    """
                        .formatted(
                            run.limited.get(0).job(), run.limited.get(1).job(), run.lastLimited))),
        new Plant(
            Invariant.I4,
            "a second lease of a key at limit 1",
            (run, play) ->
                play.sql(
                    """
                    UPDATE finished_jobs SET started_at = (
                      SELECT min(started_at) FROM finished_jobs WHERE concurrency_key = 'k')
                     WHERE id = %d
                    """
                        .formatted(run.lastKeyed))),
        new Plant(
            Invariant.I4,
            "a sample over its bound",
            (run, play) -> {
              LimitWatch watch = new LimitWatch();
              watch.see(List.of(new LimitWatch.Sample(1, "a/q", 2, null, 0, 2, 0, null)), 1);
              watch.see(List.of(new LimitWatch.Sample(1, "a/q", 2, null, 0, 3, 0, null)), 2);
              play.observations =
                  new Observations(
                      2,
                      0,
                      watch.checks(),
                      watch.over(),
                      watch.overCount(),
                      watch.rules(),
                      0L,
                      0,
                      0);
            }),
        new Plant(
            Invariant.I4,
            "a start after the limit was lowered to less than what runs",
            (run, play) -> {
              int queue = (int) run.queue("a", "limited");
              long started = started(play, run.limited.get(0).job());
              long last = started(play, run.lastLimited);
              LimitWatch watch = new LimitWatch();
              watch.see(List.of(limitedTo(queue, 2, started - 1)), started);
              // The first sample after the edit already has one more than there may be.
              watch.see(List.of(limitedTo(queue, 1, last - 1)), last + 1);
              play.observations =
                  new Observations(
                      2,
                      0,
                      watch.checks(),
                      watch.over(),
                      watch.overCount(),
                      watch.rules(),
                      null,
                      0,
                      0);
            }));
  }

  private static long started(Play play, long job) throws SQLException {
    return play.number("SELECT micros(started_at) FROM finished_jobs WHERE id = " + job);
  }

  private static LimitWatch.Sample limitedTo(int queue, int limit, long editedMicros) {
    return new LimitWatch.Sample(queue, "a/limited", limit, null, editedMicros, 2, 0, null);
  }

  static List<Plant> edges() {
    return List.of(
        new Plant(
            Invariant.I5,
            "a child that started before its parent's end",
            (run, play) ->
                play.sql(
                    """
                    UPDATE finished_jobs SET started_at = (
                      SELECT started_at FROM finished_jobs WHERE id = %d) WHERE id = %d
                    """
                        .formatted(run.parent.job(), run.child.job()))),
        new Plant(
            Invariant.I5,
            "a child whose handler ran before its parent's had ended",
            (run, play) -> Plants.beginBeforeEnd(play, run.child.token(), run.parent.token())),
        new Plant(
            Invariant.I5,
            "a child whose condition was never met",
            (run, play) -> play.sql("UPDATE dependencies SET on_outcome = 'failure'")));
  }

  static List<Plant> fires() {
    return List.of(
        new Plant(
            Invariant.I6,
            "two runs of one planned time",
            (run, play) ->
                play.sql(
                    "UPDATE finished_jobs SET schedule_id = %d, planned_at = '2026-01-01T00:00:10Z' WHERE id = %d"
                        .formatted(run.schedule, run.plain))),
        new Plant(
            Invariant.I6,
            "two fires of one planned time",
            (run, play) ->
                play.sql(
                    """
                    ALTER TABLE schedule_fires DROP CONSTRAINT IF EXISTS schedule_fires_once;
                    UPDATE schedule_fires SET planned_at = '2026-01-01T00:00:10Z' WHERE outcome = 'skipped';
                    INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, reason)
                    VALUES (%d, '2026-01-01T00:00:20Z', 'scheduled', 'skipped', 'overlap')
                    """
                        .formatted(run.schedule))),
        new Plant(
            Invariant.I6,
            "a planned time that nothing became of",
            (run, play) -> play.sql("DELETE FROM schedule_fires WHERE outcome = 'skipped'")),
        new Plant(
            Invariant.I6,
            "a fire that made nothing",
            (run, play) ->
                play.sql(
                    """
                    ALTER TABLE schedule_fires DROP CONSTRAINT IF EXISTS schedule_fires_made;
                    UPDATE schedule_fires SET job_id = NULL WHERE outcome = 'fired';
                    UPDATE finished_jobs SET schedule_id = NULL WHERE id = %d
                    """
                        .formatted(run.scheduled))),
        new Plant(
            Invariant.I6,
            "a fire without its run",
            (run, play) ->
                play.sql(
                    "UPDATE finished_jobs SET schedule_id = NULL WHERE id = " + run.scheduled)));
  }

  static List<Plant> walls() {
    return List.of(
        new Plant(
            Invariant.I7,
            "a job in another project's queue",
            (run, play) ->
                play.sql(
                    "UPDATE finished_jobs SET queue_id = %d WHERE id = %d"
                        .formatted(run.queue("b", "plain"), run.plain))),
        new Plant(
            Invariant.I7,
            "a handler that ran it as another project's",
            (run, play) ->
                play.lines(Plants.token(play, run.plain)).forEach(line -> line[4] = "b")),
        new Plant(
            Invariant.I7,
            "an edge to another project",
            (run, play) ->
                play.sql(
                    "INSERT INTO dependencies (child_id, parent_id, outcome) VALUES (%d, %d, 'succeeded')"
                        .formatted(run.scheduled, run.foreign))),
        new Plant(
            Invariant.I7,
            "a list that has another project's job",
            (run, play) -> play.ledger.listed(run.plain, "b")),
        new Plant(
            Invariant.I7,
            "a foreign id that was answered",
            (run, play) -> play.ledger.crossed("GET /projects/b/jobs/1 answered 200")));
  }
}
