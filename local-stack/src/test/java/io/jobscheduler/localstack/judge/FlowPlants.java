package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.judge.Plants.Plant;
import io.jobscheduler.localstack.load.Ledger;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Violations of what workflows, waiting fires and fences owe: I2, I6, I3. */
final class FlowPlants {
  private static final long LATE_NANOS = 10_000_000_000L;

  private FlowPlants() {}

  static List<Plant> members() {
    return List.of(
        new Plant(
            Invariant.I2,
            "a member that was skipped though its parent succeeded",
            (run, play) -> {
              mayFail(play);
              skip(run, play, "dependency-failed");
            }),
        new Plant(
            Invariant.I2,
            "a member that was skipped and has no parent",
            (run, play) -> {
              mayFail(play);
              skip(run, play, "condition-not-met");
              play.sql("DELETE FROM dependencies");
            }),
        new Plant(
            Invariant.I2,
            "a member that nobody asked to cancel",
            (run, play) -> {
              mayFail(play);
              play.ledger.mayEndAnyhow(run.child.job());
              play.sql(
                  "UPDATE finished_jobs SET state = 'cancelled' WHERE id = " + run.child.job());
            }),
        new Plant(
            Invariant.I2,
            "a member that died in a workflow in which nothing fails",
            (run, play) -> {
              die(run, play, "asked");
              skip(run, play, "dependency-failed");
            }));
  }

  private static void mayFail(Play play) throws SQLException {
    long flow = play.number("SELECT max(id) FROM workflows");
    play.ledger.workflow(flow, new Ledger.Flow("a", false));
  }

  /** The child never started, and was skipped. */
  static void skip(CleanRun run, Play play, String reason) throws SQLException {
    play.ledger.mayEndAnyhow(run.child.job());
    play.remove(line -> line[3].equals(run.child.token() + ""));
    play.sql(
        """
        UPDATE finished_jobs SET state = 'skipped', state_reason = '%s', attempt = 0,
               started_at = NULL, lease_token = NULL, worker_id = NULL
         WHERE id = %d
        """
            .formatted(reason, run.child.job()));
  }

  /** The parent has died in its only attempt. */
  static void die(CleanRun run, Play play, String errorKind) throws SQLException {
    play.ledger.mayEndAnyhow(run.parent.job());
    play.lines(run.parent.token()).get(1)[11] = "failed";
    play.sql(
        """
        UPDATE finished_jobs SET state = 'dead', error_kind = '%s', max_attempts = 1
         WHERE id = %d
        """
            .formatted(errorKind, run.parent.job()));
  }

  static List<Plant> waiting() {
    return List.of(
        new Plant(
            Invariant.I6,
            "a fire that still waits though nothing runs",
            (run, play) -> {
              queue(run, play);
              play.sql("UPDATE schedules SET queued = 1");
            }),
        new Plant(
            Invariant.I6,
            "a fire that waited for nothing until somebody paused its schedule",
            (run, play) -> {
              queue(run, play);
              pause(play, 1, "5 minutes");
            }),
        new Plant(
            Invariant.I6,
            "a fire that its schedule does not count",
            (run, play) -> {
              queue(run, play);
              pause(play, 0, "1 second");
            }));
  }

  /** A fire that waits for the run before it. */
  static void queue(CleanRun run, Play play) throws SQLException {
    play.sql(
        """
        INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome)
        VALUES (%d, '2026-01-01T00:00:40Z', 'scheduled', 'queued')
        """
            .formatted(run.schedule));
  }

  /** Somebody paused the schedule so long after now. */
  static void pause(Play play, int queued, String later) throws SQLException {
    play.sql(
        """
        UPDATE schedules SET queued = %d, state = 'paused', next_fire_at = NULL,
               paused_by = 'somebody', paused_at = clock_timestamp() + interval '%s'
        """
            .formatted(queued, later));
  }

  static List<Plant> fences() {
    return List.of(
        new Plant(
            Invariant.I3,
            "a handler that ran on in a worker that was cut off",
            (run, play) -> {
              play.cutOff = Set.of(1L);
              runOn(run, play);
            }));
  }

  /** The handler of the lost lease ends long after it. */
  static void runOn(CleanRun run, Play play) {
    play.lines(run.lost.token()).get(1)[9] = Long.toString(System.nanoTime() + LATE_NANOS);
  }
}
