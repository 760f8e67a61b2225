package io.jobscheduler.localstack.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.load.Expectation;
import io.jobscheduler.localstack.load.Ledger;
import io.jobscheduler.schema.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A kept promise is judged clean, and each broken one by its name and by no other. */
class JudgePgTest {
  private static final TestDatabase DATABASE = new TestDatabase();

  @TempDir Path folder;

  /** A violation and how it is planted in a clean run. */
  private record Plant(Invariant invariant, String what, Forgery forgery) {
    @Override
    public String toString() {
      return invariant + " " + what;
    }
  }

  @FunctionalInterface
  private interface Forgery {
    void in(CleanRun run, Play play) throws SQLException;
  }

  @BeforeAll
  static void open() {
    DATABASE.open();
  }

  @AfterAll
  static void close() throws SQLException {
    DATABASE.close(true);
  }

  @Test
  void judgesAKeptPromiseClean() throws Exception {
    try (Play play = new Play(DATABASE)) {
      new CleanRun(play);
      Judgement judgement = Judge.judge(play.evidence(folder));
      assertEquals(List.of(), violations(judgement));
      assertTrue(judgement.clean());
      for (Invariant invariant : Invariant.values()) {
        assertTrue(judgement.of(invariant).checked() > 0, invariant + " looked at nothing");
      }
      assertEquals(1, judgement.count(RunCheck.ENDED_LATE));
      assertEquals(0, judgement.count(RunCheck.BEGAN_LATE));
    }
  }

  @Test
  void tellsTheWholeHistoryOfAJob() throws Exception {
    try (Play play = new Play(DATABASE)) {
      CleanRun run = new CleanRun(play);
      List<String> history = JobHistory.of(play.evidence(folder), run.lostOnce);
      String all = String.join("\n", history);
      assertTrue(history.get(0).startsWith("job " + run.lostOnce + ": succeeded"), all);
      assertTrue(
          history.get(1).startsWith("attempt 1 generation 0 lease " + run.lost.token()), all);
      assertTrue(all.contains("worker " + Play.WORKER + ": pid 1"), all);
      assertEquals(
          2, history.stream().filter(line -> line.startsWith("effect under")).count(), all);
      assertTrue(all.contains("accepted: "), all);
    }
  }

  @ParameterizedTest
  @MethodSource("plants")
  void findsAPlantedViolationByItsName(Plant plant) throws Exception {
    try (Play play = new Play(DATABASE)) {
      CleanRun run = new CleanRun(play);
      plant.forgery().in(run, play);
      Judgement judgement = Judge.judge(play.evidence(folder));
      Set<Invariant> found =
          EnumSet.allOf(Invariant.class).stream()
              .filter(invariant -> judgement.of(invariant).violated() > 0)
              .collect(Collectors.toSet());
      assertEquals(Set.of(plant.invariant()), found, () -> violations(judgement).toString());
      assertFalse(judgement.clean());
    }
  }

  private static List<Violation> violations(Judgement judgement) {
    return Stream.of(Invariant.values()).flatMap(i -> judgement.of(i).first().stream()).toList();
  }

  static List<Plant> plants() {
    return Stream.of(
            overlaps(), losses(), staleWords(), limits(), edges(), fires(), walls(), runs())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Plant> overlaps() {
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
            (run, play) -> play.add(play.lines(token(play, run.plain)).get(0))),
        new Plant(
            Invariant.I1,
            "a handler that begins while the one before it runs",
            (run, play) ->
                play.lines(
                            play.number(
                                "SELECT lease_token FROM finished_attempts WHERE job_id = "
                                    + run.failedOnce))
                        .get(1)[9] =
                    Long.toString(System.nanoTime())));
  }

  private static List<Plant> losses() {
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

  private static List<Plant> staleWords() {
    return List.of(
        new Plant(
            Invariant.I3,
            "the lost lease's result",
            (run, play) -> {
              long winner = token(play, run.lostOnce);
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
              long second = token(play, run.failedOnce);
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
            (run, play) -> play.lines(token(play, run.plain)).get(1)[11] = "failed"),
        new Plant(
            Invariant.I3,
            "a handler in a worker that does not hold the lease",
            (run, play) ->
                play.lines(token(play, run.plain)).forEach(line -> line[7] = Play.WORKER + "")));
  }

  private static List<Plant> limits() {
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
              watch.see(List.of(new LimitWatch.Sample(1, "a/q", 2, null, 0, 2, 0, null)));
              watch.see(List.of(new LimitWatch.Sample(1, "a/q", 2, null, 0, 3, 0, null)));
              play.observations =
                  new Observations(
                      2, 0, watch.checks(), watch.over(), watch.overCount(), watch.steady(), 0L, 0);
            }));
  }

  private static List<Plant> edges() {
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
            (run, play) ->
                play.lines(run.parent.token()).get(1)[9] = Long.toString(System.nanoTime())),
        new Plant(
            Invariant.I5,
            "a child whose condition was never met",
            (run, play) -> play.sql("UPDATE dependencies SET on_outcome = 'failure'")));
  }

  private static List<Plant> fires() {
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
            "a fire without its run",
            (run, play) ->
                play.sql(
                    "UPDATE finished_jobs SET schedule_id = NULL WHERE id = " + run.scheduled)));
  }

  private static List<Plant> walls() {
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
            (run, play) -> play.lines(token(play, run.plain)).forEach(line -> line[4] = "b")),
        new Plant(
            Invariant.I7,
            "an edge to another project",
            (run, play) ->
                play.sql(
                    "INSERT INTO dependencies (child_id, parent_id, outcome) VALUES (%d, %d, 'succeeded')"
                        .formatted(run.scheduled, run.foreign))),
        new Plant(
            Invariant.I7,
            "a foreign id that was answered",
            (run, play) -> play.ledger.crossed("GET /projects/b/jobs/1 answered 200")));
  }

  private static List<Plant> runs() {
    return List.of(
        new Plant(
            Invariant.I8,
            "a success that nothing ran for",
            (run, play) -> {
              long token = token(play, run.plain);
              play.remove(line -> line[3].equals(token + ""));
            }),
        new Plant(
            Invariant.I8,
            "a success whose handler had not ended",
            (run, play) -> {
              long token = token(play, run.plain);
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
              String[] begin = play.lines(token(play, run.plain)).get(0).clone();
              begin[3] = "0";
              play.add(begin);
            }));
  }

  private static long token(Play play, long job) throws SQLException {
    return play.number("SELECT lease_token FROM finished_jobs WHERE id = " + job);
  }
}
