package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.judge.Plants.Plant;
import io.jobscheduler.localstack.load.Expectation;
import io.jobscheduler.localstack.load.Ledger;
import java.util.List;

/** Violations of what is promised of a job and its attempts: I1, I2, I3, I8. */
final class AttemptPlants {
  private AttemptPlants() {}

  static List<Plant> overlaps() {
    return List.of(
        new Plant(
            Invariant.I1,
            "a lease that ends after the next one began",
            (run, play) ->
                play.sql(
                    "UPDATE finished_attempts SET ended_at = ended_at + interval '1 hour' WHERE"
                        + " job_id = "
                        + run.failedOnce)),
        new Plant(
            Invariant.I1,
            "a given back lease that spans the one which ended the job",
            (run, play) ->
                play.sql(
                    """
                    INSERT INTO finished_attempts (job_id, lease_token, worker_id, started_at, ended_at,
                        retain_until, attempt, outcome)
                    SELECT id, 0, worker_id, started_at - interval '1 minute', finished_at,
                           retain_until, 1, 'released' FROM finished_jobs WHERE id = %d
                    """
                        .formatted(run.foreign))),
        new Plant(
            Invariant.I1,
            "two begins under one lease",
            (run, play) -> play.add(play.lines(Plants.token(play, run.plain)).get(0))),
        new Plant(
            Invariant.I1,
            "a handler that begins while the one before it runs",
            (run, play) ->
                Plants.beginBeforeEnd(
                    play,
                    Plants.token(play, run.failedOnce),
                    play.number(
                        "SELECT lease_token FROM finished_attempts WHERE job_id = "
                            + run.failedOnce))));
  }

  static List<Plant> losses() {
    return List.of(
        new Plant(
            Invariant.I2,
            "a job that ran and is gone",
            (run, play) -> play.sql("DELETE FROM finished_jobs WHERE id = " + run.plain)),
        new Plant(
            Invariant.I2,
            "an accepted job that never was there",
            (run, play) ->
                play.ledger.accepted(
                    1_000_000, new Ledger.Accepted("a", "plain", Expectation.SUCCEEDS))),
        new Plant(
            Invariant.I2,
            "a job that never ends",
            (run, play) -> play.enqueue("a", "plain", Expectation.SUCCEEDS)),
        new Plant(
            Invariant.I2,
            "a job in two places",
            (run, play) ->
                play.sql(
                    """
                    INSERT INTO jobs (id, project_id, queue_id, type, state, dispatch_key, attempt)
                    SELECT id, project_id, queue_id, type, 'ready', 0, attempt
                      FROM finished_jobs WHERE id = %d
                    """
                        .formatted(run.plain))),
        new Plant(
            Invariant.I2,
            "a final cancel that was not",
            (run, play) -> play.ledger.cancelled(run.plain)),
        new Plant(
            Invariant.I2, "a redrive that was not", (run, play) -> play.ledger.redriven(run.dead)),
        new Plant(
            Invariant.I2,
            "a job that had to succeed and died",
            (run, play) ->
                play.ledger.accepted(
                    run.dead, new Ledger.Accepted("a", "plain", Expectation.SUCCEEDS))),
        new Plant(
            Invariant.I2,
            "a workflow without one of its jobs",
            (run, play) -> play.sql("UPDATE workflows SET job_count = 3")));
  }

  static List<Plant> staleWords() {
    return List.of(
        new Plant(
            Invariant.I3,
            "the lost lease's result",
            (run, play) -> {
              long winner = Plants.token(play, run.lostOnce);
              play.remove(line -> line[3].equals(winner + ""));
              play.sql(
                  "UPDATE finished_jobs SET lease_token = %d, worker_id = %d WHERE id = %d"
                      .formatted(run.lost.token(), Play.WORKER, run.lostOnce));
            }),
        new Plant(
            Invariant.I3,
            "a result under an old lease though a newer one was given",
            (run, play) ->
                play.sql(
                    """
                    INSERT INTO finished_attempts (job_id, lease_token, worker_id, started_at, ended_at,
                        retain_until, attempt, outcome)
                    SELECT id, 1000000, worker_id, finished_at, finished_at, retain_until, 1, 'released'
                      FROM finished_jobs WHERE id = %d
                    """
                        .formatted(run.dead))),
        new Plant(
            Invariant.I3,
            "tokens that shrink",
            (run, play) -> {
              long first =
                  play.number(
                      "SELECT lease_token FROM finished_attempts WHERE job_id = " + run.failedOnce);
              long second = Plants.token(play, run.failedOnce);
              List<String[]> ofFirst = play.lines(first);
              List<String[]> ofSecond = play.lines(second);
              ofFirst.forEach(line -> line[3] = second + "");
              ofSecond.forEach(line -> line[3] = first + "");
              play.sql(
                  """
                  UPDATE finished_attempts SET lease_token = %2$d WHERE job_id = %3$d;
                  UPDATE finished_jobs SET lease_token = %1$d WHERE id = %3$d
                  """
                      .formatted(first, second, run.failedOnce));
            }),
        new Plant(
            Invariant.I3,
            "a success that its handler did not have",
            (run, play) -> play.lines(Plants.token(play, run.plain)).get(1)[11] = "failed"),
        new Plant(
            Invariant.I3,
            "a handler in a worker that does not hold the lease",
            (run, play) ->
                play.lines(Plants.token(play, run.plain))
                    .forEach(line -> line[7] = Play.WORKER + "")));
  }

  /** Told by who had lost the lease, and taken for the word of who holds it. */
  static List<Plant> anothersWords() {
    return List.of(
        new Plant(
            Invariant.I3,
            "a job that another ended while its handler ran",
            (run, play) -> later(play.lines(Plants.token(play, run.plain)).get(1))),
        new Plant(
            Invariant.I3,
            "a job that another ended before its handler began",
            (run, play) ->
                play.lines(Plants.token(play, run.plain)).forEach(AttemptPlants::later)));
  }

  private static void later(String[] line) {
    line[9] = Long.toString(System.nanoTime() + 1_000_000_000);
  }

  static List<Plant> runs() {
    return List.of(
        new Plant(
            Invariant.I8,
            "a success that nothing ran for",
            (run, play) -> {
              long token = Plants.token(play, run.plain);
              play.remove(line -> line[3].equals(token + ""));
            }),
        new Plant(
            Invariant.I8,
            "a success whose handler had not ended",
            (run, play) -> {
              long token = Plants.token(play, run.plain);
              play.remove(line -> line[3].equals(token + "") && line[0].equals("end"));
            }),
        new Plant(
            Invariant.I8,
            "more attempts than allowed",
            (run, play) ->
                play.sql("UPDATE finished_jobs SET max_attempts = 1 WHERE id = " + run.failedOnce)),
        new Plant(
            Invariant.I8,
            "a lost job that did not run again",
            (run, play) ->
                play.sql(
                    "UPDATE finished_jobs SET state = 'dead', error_kind = 'worker-lost' WHERE id ="
                        + " "
                        + run.lostOnce)),
        new Plant(
            Invariant.I8,
            "a run under a lease that is not on record",
            (run, play) -> {
              String[] begin = play.lines(Plants.token(play, run.plain)).get(0).clone();
              begin[3] = "0";
              play.add(begin);
            }));
  }
}
