package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClaimPgTest {
  private static final List<String> NESTED_LOOP_THAT_RESCANS =
      List.of(
          "enable_hashjoin = off",
          "enable_mergejoin = off",
          "enable_hashagg = off",
          "enable_sort = off",
          "enable_material = off",
          "enable_memoize = off");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
    sql.worker(2);
  }

  @Test
  void claimsOldestFirstAndCountsTheAttempt() throws SQLException {
    List<Long> ready = sql.ready(queue, 5);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 3);
      assertEquals(
          Set.copyOf(ready.subList(0, 3)),
          Set.copyOf(claimed.stream().map(Sql.Claimed::id).toList()));
      assertTrue(claimed.stream().allMatch(c -> c.attempt() == 1));
      assertEquals(3, new HashSet<>(claimed.stream().map(Sql.Claimed::token).toList()).size());
    }
  }

  @Test
  void higherPriorityGoesFirst() throws SQLException {
    sql.ready(queue, 4, 3);
    List<Long> urgent = sql.ready(queue, 9, 2);
    try (Connection worker = sql.asWorker()) {
      assertEquals(
          Set.copyOf(urgent),
          Set.copyOf(sql.claim(worker, 1, 1, queue, 2).stream().map(Sql.Claimed::id).toList()));
    }
  }

  @Test
  void doesNotClaimBeforeTheHeadNorFromALaneLeftOut() throws SQLException {
    List<Long> ready = sql.ready(queue, 4, 3);
    List<Long> urgent = sql.ready(queue, 9, 1);
    Long[][] keys = {{Sql.SKIP, 0L, 0L, 0L, 0L, keyOf(ready.get(1)), 0L, 0L, 0L, 0L}};
    Long[][] ids = {{0L, 0L, 0L, 0L, 0L, ready.get(1), 0L, 0L, 0L, 0L}};
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed =
          sql.claim(worker, 1, 1, new Integer[] {queue}, new Integer[] {10}, keys, ids);
      assertEquals(
          Set.of(ready.get(1), ready.get(2)),
          Set.copyOf(claimed.stream().map(Sql.Claimed::id).toList()));
      assertEquals("ready", sql.state(urgent.get(0)));
    }
  }

  private long keyOf(long id) {
    return Long.parseLong(database.sql("SELECT dispatch_key FROM jobs WHERE id = " + id));
  }

  @Test
  void skipsRowsThatAnotherHoldsAndWaitsForNobody() throws SQLException {
    List<Long> ready = sql.ready(queue, 2);
    try (Connection other = sql.asWorker();
        Connection worker = sql.asWorker()) {
      other.setAutoCommit(false);
      // Whoever waits fails here instead of hanging.
      worker.createStatement().execute("SET lock_timeout = '5s'");
      assertEquals(
          List.of(ready.get(0)),
          sql.claim(other, 2, 1, queue, 1).stream().map(Sql.Claimed::id).toList());
      assertEquals(
          List.of(ready.get(1)),
          sql.claim(worker, 1, 1, queue, 5).stream().map(Sql.Claimed::id).toList());
      other.rollback();
      assertEquals(
          List.of(ready.get(0)),
          sql.claim(worker, 1, 2, queue, 5).stream().map(Sql.Claimed::id).toList());
    }
  }

  @Test
  void neverExceedsWhatWasWantedPerQueue() throws SQLException {
    int second = sql.queue(project, "second", null);
    sql.ready(queue, 4, 20);
    sql.ready(queue, 7, 20);
    sql.ready(second, 4, 20);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed =
          sql.claim(worker, 1, 1, new Integer[] {queue, second}, new Integer[] {7, 3});
      assertEquals(7, claimed.stream().filter(c -> c.queue() == queue).count());
      assertEquals(3, claimed.stream().filter(c -> c.queue() == second).count());
    }
  }

  /**
   * The plan under which an IN-subquery would run the pick again for each row: still never more
   * than wanted.
   */
  @Test
  void keepsItsLimitUnderAForcedNestedLoop() throws SQLException {
    sql.ready(queue, 200);
    try (Connection owner = database.connect(Role.OWNER)) {
      owner.setAutoCommit(false);
      for (String setting : NESTED_LOOP_THAT_RESCANS) {
        owner.createStatement().execute("SET LOCAL " + setting);
      }
      // The control: under this plan the textbook's claim runs its pick again for each row.
      int textbook =
          owner
              .createStatement()
              .executeUpdate(
                  """
                  UPDATE jobs.jobs j
                     SET state = 'running', lease_token = nextval('jobs.lease_token_seq'), worker_id = 1
                   WHERE j.id IN (SELECT c.id FROM jobs.jobs c WHERE c.queue_id = %d AND c.state = 'ready'
                                   ORDER BY c.dispatch_lane DESC, c.dispatch_key, c.id
                                   LIMIT 7 FOR UPDATE SKIP LOCKED)
                  """
                      .formatted(queue));
      assertTrue(textbook > 7, "the control stayed within its limit: " + textbook);
      owner.rollback();
    }
    database.sql(
        "ALTER FUNCTION claim(bigint, bigint, int[], int[], bigint[], bigint[]) SET "
            + String.join(" SET ", NESTED_LOOP_THAT_RESCANS));
    try (Connection worker = sql.asWorker()) {
      for (int round = 1; round <= 5; round++) {
        assertEquals(7, sql.claim(worker, 1, round, queue, 7).size());
      }
    }
    assertEquals(35, sql.number("SELECT count(*) FROM jobs WHERE state = 'running'"));
  }

  @Test
  void limitHoldsWhenClaimersMeet() throws SQLException {
    int limited = sql.queue(project, "limited", 3);
    sql.ready(limited, 20);
    try (Connection first = sql.asWorker();
        Connection second = sql.asWorker()) {
      first.setAutoCommit(false);
      assertEquals(2, sql.claim(first, 1, 1, limited, 2).size());
      // The queue's lock is held by the first: nothing for the second, and no waiting.
      assertEquals(0, sql.claim(second, 2, 1, limited, 5).size());
      first.commit();
      assertEquals(1, sql.claim(second, 2, 2, limited, 5).size());
      assertEquals(0, sql.claim(second, 2, 3, limited, 5).size());
    }
  }

  @Test
  void zeroStartsNothingAndPausedStartsNothing() throws SQLException {
    int closed = sql.queue(project, "closed", 0);
    sql.ready(closed, 1);
    sql.ready(queue, 1);
    database.sql("UPDATE queues SET paused_at = now() WHERE id = " + queue);
    try (Connection worker = sql.asWorker()) {
      assertEquals(
          List.of(), sql.claim(worker, 1, 1, new Integer[] {closed, queue}, new Integer[] {5, 5}));
    }
  }

  /** Without the gate, a claim in flight that saw no limit would land beside those that see it. */
  @Test
  void firstLimitWaitsForClaimsInFlight() throws Exception {
    sql.ready(queue, 10);
    try (Connection claimer = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      claimer.setAutoCommit(false);
      assertEquals(5, sql.claim(claimer, 1, 1, queue, 5).size());
      api.createStatement().execute("SET lock_timeout = '200ms'");
      SQLException busy =
          assertThrows(
              SQLException.class,
              () ->
                  api.createStatement()
                      .execute(
                          "SELECT jobs.set_queue_limits(%d, 3, NULL, NULL, NULL, NULL)"
                              .formatted(queue)));
      assertEquals("55P03", busy.getSQLState());
      claimer.commit();
      api.createStatement()
          .execute("SELECT jobs.set_queue_limits(%d, 3, NULL, NULL, NULL, NULL)".formatted(queue));
      assertEquals(0, sql.claim(claimer, 1, 2, queue, 5).size());
      claimer.commit();
    }
  }

  @Test
  void claimsNothingWhileTheGateIsHeldExclusively() throws SQLException {
    sql.ready(queue, 1);
    try (Connection api = database.connect(Role.API);
        Connection worker = sql.asWorker()) {
      api.setAutoCommit(false);
      api.createStatement()
          .execute("SELECT jobs.set_queue_limits(%d, 3, NULL, NULL, NULL, NULL)".formatted(queue));
      assertEquals(0, sql.claim(worker, 1, 1, queue, 1).size());
      api.rollback();
      assertEquals(1, sql.claim(worker, 1, 2, queue, 1).size());
    }
  }

  @Test
  void refusesAnotherIsolationLevel() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      worker.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      SQLException refused =
          assertThrows(SQLException.class, () -> sql.claim(worker, 1, 1, queue, 1));
      assertEquals("25000", refused.getSQLState());
    }
  }

  @Test
  void tokensGrowAcrossWorkersAndClaims() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      long before = 0;
      for (int round = 1; round <= 4; round++) {
        long id = 1 + round % 2;
        List<Sql.Claimed> claimed = sql.claim(worker, id, round, queue, 1);
        assertTrue(claimed.get(0).token() > before);
        before = claimed.get(0).token();
        sql.settle(worker, id, claimed, "released");
      }
    }
  }
}
