package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits and pauses against claims in flight, which a second connection holds open. */
class QueueControlPgTest {
  private static final String NO_LIMIT = "NULL, NULL, NULL, NULL, NULL";
  private static final List<String> FIRST_LIMITS =
      List.of("3, NULL, NULL, NULL, NULL", "NULL, 1, NULL, NULL, NULL", "NULL, NULL, 10, 1000, 10");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "q", null);
    sql.worker(1);
    sql.worker(2);
    // So that whoever waits in vain fails soon.
    for (String function :
        List.of(
            "set_queue_limits(int, int, int, int, bigint, int)",
            "pause_queue(int, text, text, timestamptz)")) {
      database.sql("ALTER FUNCTION " + function + " SET lock_timeout = '200ms'");
    }
  }

  private void api(String call) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      api.createStatement().execute("SELECT jobs." + call);
    }
  }

  private void limits(String limits) throws SQLException {
    api("set_queue_limits(%d, %s)".formatted(queue, limits));
  }

  private void pause(String until) throws SQLException {
    api("pause_queue(%d, 'provider is down', 'ann@example.org', %s)".formatted(queue, until));
  }

  private void waits(Change change) {
    assertEquals("55P03", assertThrows(SQLException.class, change::make).getSQLState());
  }

  private interface Change {
    void make() throws SQLException;
  }

  /** A claim that still saw no limit would land beside those that see one. */
  @Test
  void firstLimitOfAnyKindWaitsForEveryClaimInFlight() throws SQLException {
    int other = sql.queue(project, "other", null);
    sql.ready(other, 1);
    sql.ready(queue, 20);
    try (Connection claimer = sql.asWorker()) {
      for (String first : FIRST_LIMITS) {
        claimer.setAutoCommit(false);
        assertEquals(5, sql.claim(claimer, 1, 1, queue, 5).size());
        waits(() -> limits(first));
        claimer.rollback();
        limits(first);
        limits(NO_LIMIT);
      }
    }
  }

  @Test
  void anotherLimitWaitsForClaimsOfItsQueueOnly() throws SQLException {
    int other = sql.queue(project, "other", null);
    sql.ready(other, 1);
    sql.ready(queue, 20);
    try (Connection claimer = sql.asWorker()) {
      for (String limited : FIRST_LIMITS) {
        limits(limited);
        claimer.setAutoCommit(false);
        assertEquals(1, sql.claim(claimer, 1, 1, other, 1).size());
        limits("3, 3, 30, 3000, 30");
        limits(limited);
        claimer.rollback();
        assertTrue(sql.claim(claimer, 1, 2, queue, 1).size() == 1, limited);
        waits(() -> limits("2, 2, 2, 2000, 2"));
        waits(() -> limits(NO_LIMIT));
        claimer.rollback();
        limits(NO_LIMIT);
        claimer.setAutoCommit(true);
      }
    }
  }

  /** The first limit of another kind: the queue is limited already, so its lock is enough. */
  @Test
  void unchangedLimitsLockNothing() throws SQLException {
    sql.ready(queue, 5);
    limits("3, 1, NULL, NULL, NULL");
    try (Connection claimer = sql.asWorker()) {
      claimer.setAutoCommit(false);
      assertEquals(3, sql.claim(claimer, 1, 1, queue, 5).size());
      limits("3, 1, NULL, NULL, NULL");
      claimer.rollback();
    }
  }

  /**
   * A client that was stopped or cut off before its commit would keep the whole fleet from
   * claiming.
   */
  @Test
  void whoHoldsUpAllClaimsAndFallsSilentIsCutOff() throws SQLException {
    sql.ready(queue, 1);
    try (Connection api = database.connect(Role.API);
        Connection worker = sql.asWorker()) {
      api.setAutoCommit(false);
      api.createStatement()
          .execute("SELECT jobs.set_queue_limits(%d, 0, NULL, NULL, NULL, NULL)".formatted(queue));
      assertEquals(0, sql.claim(worker, 1, 1, queue, 1).size());
      database.sql("SET lock_timeout = '30s'; SELECT pg_advisory_xact_lock_shared(3, 0)");
      assertEquals(1, sql.claim(worker, 1, 2, queue, 1).size(), "nothing was changed");
    }
  }

  @Test
  void claimsOfAQueueWaitForNobodyWhileItsLimitChanges() throws SQLException {
    sql.ready(queue, 5);
    limits("3, NULL, NULL, NULL, NULL");
    try (Connection api = database.connect(Role.API);
        Connection worker = sql.asWorker()) {
      api.setAutoCommit(false);
      api.createStatement()
          .execute("SELECT jobs.set_queue_limits(%d, 1, NULL, NULL, NULL, NULL)".formatted(queue));
      assertEquals(0, sql.claim(worker, 1, 1, queue, 5).size());
      api.commit();
      assertEquals(1, sql.claim(worker, 1, 2, queue, 5).size());
    }
  }

  @Test
  void loweredLimitKillsNothingAndStartsNothingUntilThereIsRoom() throws SQLException {
    sql.ready(queue, 60);
    limits("5, NULL, NULL, NULL, NULL");
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> running = sql.claim(worker, 1, 1, queue, 9);
      assertEquals(5, running.size());
      limits("2, NULL, NULL, NULL, NULL");
      assertEquals(5, sql.number("SELECT count(*) FROM jobs WHERE state = 'running'"));
      for (int ended = 0; ended < 4; ended++) {
        int room = sql.claim(worker, 1, 2 + ended, queue, 9).size();
        assertEquals(0, room, ended + " ended");
        sql.settle(worker, 1, running.subList(ended, ended + 1), "succeeded");
      }
      assertEquals(1, sql.claim(worker, 1, 9, queue, 9).size());
      // 1 -> 50 -> 2 -> unlimited -> 0 -> 5, with more waiting than that.
      for (String[] step :
          new String[][] {{"50", "48"}, {"2", "0"}, {"NULL", "6"}, {"0", "0"}, {"5", "0"}}) {
        sql.ready(queue, step[0].equals("0") ? 3 : 0);
        limits(step[0] + ", NULL, NULL, NULL, NULL");
        assertEquals(
            Integer.parseInt(step[1]), sql.claim(worker, 1, 10, queue, 99).size(), step[0]);
      }
    }
  }

  @Test
  void noJobStartsAfterAPauseHasCommitted() throws SQLException {
    sql.ready(queue, 20);
    try (Connection claimer = sql.asWorker()) {
      for (String limited : List.of(NO_LIMIT, FIRST_LIMITS.get(0))) {
        limits(limited);
        claimer.setAutoCommit(false);
        assertEquals(1, sql.claim(claimer, 1, 1, queue, 1).size());
        waits(() -> pause("NULL"));
        claimer.commit();
        pause("NULL");
        assertEquals(0, sql.claim(claimer, 1, 2, queue, 5).size());
        claimer.commit();
        assertEquals(
            "provider is down|ann@example.org",
            database.sql("SELECT pause_reason || '|' || paused_by FROM queues"));
        api("resume_queue(%d)".formatted(queue));
        assertEquals(1, sql.claim(claimer, 1, 3, queue, 1).size());
        claimer.rollback();
        claimer.setAutoCommit(true);
      }
    }
  }

  @Test
  void pauseWithAnEndIsResumedOnceItHasCome() throws SQLException {
    sql.ready(queue, 1);
    pause("clock_timestamp() + interval '1 hour'");
    try (Connection scheduler = database.connect(Role.SCHEDULER);
        Connection worker = sql.asWorker()) {
      assertEquals(0, resumed(scheduler));
      database.sql("UPDATE queues SET resume_at = clock_timestamp()");
      assertEquals(0, sql.claim(worker, 1, 1, queue, 5).size());
      assertEquals(1, resumed(scheduler));
      assertEquals(0, resumed(scheduler));
      assertEquals(
          "0",
          database.sql(
              "SELECT num_nonnulls(paused_at, pause_reason, paused_by, resume_at) FROM queues"));
      assertEquals(1, sql.claim(worker, 1, 2, queue, 5).size());
    }
  }

  private int resumed(Connection scheduler) throws SQLException {
    try (var rows =
        scheduler.createStatement().executeQuery("SELECT count(*) FROM jobs.resume_due_queues()")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  // ---- cost

  private void costs(int... costs) {
    for (int cost : costs) {
      sql.ready(queue, 1);
      database.sql(
          "UPDATE jobs SET cost = %d WHERE id = (SELECT max(id) FROM jobs)".formatted(cost));
    }
  }

  /** In order, until the slots are filled; the last one may cost more than is left. */
  @Test
  void aClaimFillsSlotsByCostInEveryKindOfQueue() throws SQLException {
    for (String limited :
        List.of(
            NO_LIMIT,
            "99, NULL, NULL, NULL, NULL",
            "NULL, 9, NULL, NULL, NULL",
            "NULL, NULL, 99, 1000, 99")) {
      limits(limited);
      costs(3, 1, 3, 5, 1);
      try (Connection worker = sql.asWorker()) {
        List<Sql.Claimed> got = sql.claim(worker, 1, 1, queue, 6);
        assertEquals(3, got.size(), limited);
        assertEquals("ready", database.sql("SELECT min(state) FROM jobs WHERE cost = 5"));
        assertEquals(1, sql.claim(worker, 1, 2, queue, 1).size(), limited + ": dearer than a slot");
        assertEquals("running", database.sql("SELECT min(state) FROM jobs WHERE cost = 5"));
        assertEquals(1, sql.claim(worker, 1, 3, queue, 1).size(), limited);
      }
      database.sql("DELETE FROM jobs");
    }
  }

  @Test
  void limitsCountJobsWhateverTheyCost() throws SQLException {
    limits("2, NULL, NULL, NULL, NULL");
    costs(5, 5, 5);
    try (Connection worker = sql.asWorker()) {
      assertEquals(2, sql.claim(worker, 1, 1, queue, 100).size());
    }
  }
}
