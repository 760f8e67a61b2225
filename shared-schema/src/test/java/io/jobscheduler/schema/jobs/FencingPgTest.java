package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that was declared lost and goes on all the same. */
class FencingPgTest {
  private static final List<String> OUTCOMES =
      List.of("succeeded", "failed", "dead", "cancelled", "released");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    sql.worker(2);
  }

  /** Worker 1 holds a job, is declared lost, and the job is rescued; its lease. */
  private Sql.Claimed reaped(Connection worker) throws SQLException {
    sql.ready(queue, 1);
    Sql.Claimed zombie = sql.claim(worker, 1, 1, queue, 1).get(0);
    lose(1);
    assertEquals("1", rescue());
    return zombie;
  }

  private void lose(long worker) {
    database.sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = " + worker);
  }

  private String rescue() {
    return database.sql("SELECT count(*) FROM rescue_jobs(1000, false) WHERE verdict = 'settled'");
  }

  private void refused(Connection worker, Sql.Claimed zombie) throws SQLException {
    for (String outcome : OUTCOMES) {
      assertEquals(
          "lease_lost",
          sql.settle(worker, 1, List.of(zombie), outcome, "\"zombie\"").get(0).verdict(),
          outcome);
    }
  }

  @Test
  void zombieChangesNothingWhileTheJobWaitsForItsNextOwner() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed zombie = reaped(worker);
      refused(worker, zombie);
      assertEquals("ready", sql.state(zombie.id()));
      assertEquals("1 1", database.sql("SELECT attempt || ' ' || attempt_rows FROM jobs"));
    }
  }

  @Test
  void zombieChangesNothingWhileTheNextOwnerRuns() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed zombie = reaped(worker);
      List<Sql.Claimed> next = sql.claim(worker, 2, 1, queue, 1);
      refused(worker, zombie);
      assertEquals(
          next.get(0).token() + " 2",
          database.sql("SELECT lease_token || ' ' || worker_id FROM jobs"));
      assertEquals("settled", sql.settle(worker, 2, next, "succeeded").get(0).verdict());
    }
  }

  @Test
  void zombieChangesNothingAfterTheNextOwnerEndedTheJob() throws SQLException {
    for (String end : List.of("succeeded", "dead", "cancelled")) {
      try (Connection worker = sql.asWorker()) {
        database.sql("UPDATE workers SET lost_at = NULL");
        Sql.Claimed zombie = reaped(worker);
        List<Sql.Claimed> next = sql.claim(worker, 2, 1, queue, 1);
        sql.settle(worker, 2, next, end, "\"next\"");
        refused(worker, zombie);
        assertEquals(
            end + " \"next\" 2 2",
            database.sql(
                "SELECT state || ' ' || result || ' ' || attempt || ' ' || worker_id FROM finished_jobs"
                    + " WHERE id = "
                    + zombie.id()));
        assertEquals(
            "lost",
            database.sql(
                "SELECT string_agg(outcome, ',') FROM finished_attempts WHERE job_id = "
                    + zombie.id()));
      }
    }
  }

  /** The reaper ended its last attempt: the zombie's success is not the success of that settle. */
  @Test
  void zombieIsToldThatItsLastAttemptWasLost() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      sql.ready(queue, 1);
      database.sql("UPDATE jobs SET max_attempts = 1");
      Sql.Claimed zombie = sql.claim(worker, 1, 1, queue, 1).get(0);
      lose(1);
      rescue();
      refused(worker, zombie);
      assertEquals(
          "dead worker-lost", database.sql("SELECT state || ' ' || error_kind FROM finished_jobs"));
    }
  }

  @Test
  void zombieCannotCommitInItsOwnTransactionEither() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection user = database.connect(Role.API)) {
      Sql.Claimed zombie = reaped(worker);
      sql.claim(worker, 2, 1, queue, 1);
      SQLException lost =
          assertThrows(
              SQLException.class,
              () ->
                  user.createStatement()
                      .execute(
                          "SELECT jobs.assert_lease(%d, %d)"
                              .formatted(zombie.id(), zombie.token())));
      assertEquals("JS001", lost.getSQLState());
    }
  }

  /** The settle holds the row: the reaper waits for nobody, and finds nothing to end afterwards. */
  @Test
  void settleThatCameFirstStands() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      sql.ready(queue, 1);
      List<Sql.Claimed> held = sql.claim(worker, 1, 1, queue, 1);
      worker.setAutoCommit(false);
      assertEquals("settled", sql.settle(worker, 1, held, "succeeded").get(0).verdict());
      lose(1);
      assertEquals("0", rescue());
      worker.commit();
      assertEquals("0", rescue());
      assertEquals("succeeded", sql.state(held.get(0).id()));
    }
  }

  /**
   * The reaper holds the row: the settle waits for nobody, and is refused once the reap commits.
   */
  @Test
  void reapThatCameFirstStands() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection reaper = database.connect(Role.SCHEDULER)) {
      sql.ready(queue, 1);
      List<Sql.Claimed> held = sql.claim(worker, 1, 1, queue, 1);
      lose(1);
      reaper.setAutoCommit(false);
      reaper.createStatement().execute("SELECT jobs.rescue_jobs(10, false)");
      worker.createStatement().execute("SET lock_timeout = '5s'");
      assertEquals("busy", sql.settle(worker, 1, held, "succeeded").get(0).verdict());
      reaper.commit();
      assertEquals("lease_lost", sql.settle(worker, 1, held, "succeeded").get(0).verdict());
      assertEquals("ready", sql.state(held.get(0).id()));
    }
  }

  @Test
  void beatOfALostWorkerIsRefusedForGood() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      lose(1);
      for (int beat = 0; beat < 2; beat++) {
        try (var row =
            worker
                .createStatement()
                .executeQuery("SELECT alive FROM jobs.beat(1, 0, false, '{}')")) {
          row.next();
          assertEquals(false, row.getBoolean(1));
        }
      }
      assertEquals("1", database.sql("SELECT count(*) FROM workers WHERE lost_at IS NOT NULL"));
    }
  }

  /** Identity is the process start: that one of the same name lives hides nobody's death. */
  @Test
  void lostWorkerIsRescuedThoughItsNamesakeBeats() throws SQLException {
    sql.ready(queue, 2);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> dead = sql.claim(worker, 1, 1, queue, 1);
      List<Sql.Claimed> alive = sql.claim(worker, 2, 1, queue, 1);
      assertEquals("1", database.sql("SELECT count(DISTINCT (host, pid)) FROM workers"));
      database.sql(
          "UPDATE workers SET beat_at = clock_timestamp() + CASE id WHEN 1 THEN interval '-10 s' ELSE '1 min' END");
      assertEquals(
          "1",
          database.sql("SELECT string_agg(id::text, ',') FROM mark_lost_workers('1 s', '1 s')"));
      assertEquals("1", rescue());
      assertEquals("ready", sql.state(dead.get(0).id()));
      assertEquals("running", sql.state(alive.get(0).id()));
    }
  }
}
