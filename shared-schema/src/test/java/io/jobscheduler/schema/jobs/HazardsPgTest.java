package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What no caller should hand in and no row should hold, and what must hold all the same. */
class HazardsPgTest {
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

  private List<Sql.Verdict> settleBoth(
      Connection worker, Sql.Claimed first, String outcome, Sql.Claimed second, String other)
      throws SQLException {
    List<Sql.Verdict> verdicts = new ArrayList<>();
    try (ResultSet rows =
        worker
            .createStatement()
            .executeQuery(
                """
                SELECT id, verdict, state
                  FROM jobs.settle(1, ARRAY[%d, %d]::bigint[], ARRAY[%d, %d]::bigint[],
                    ARRAY[NULL, NULL]::int[], ARRAY['%s', '%s'], ARRAY[NULL, NULL]::text[],
                    ARRAY[NULL, NULL]::text[], ARRAY[NULL, NULL]::text[], ARRAY[NULL, NULL]::text[],
                    NULL, ARRAY[NULL, NULL]::interval[], NULL)
                 ORDER BY verdict DESC
                """
                    .formatted(
                        first.id(), second.id(), first.token(), second.token(), outcome, other))) {
      while (rows.next()) {
        verdicts.add(new Sql.Verdict(rows.getLong(1), rows.getString(2), rows.getString(3)));
      }
    }
    return verdicts;
  }

  /**
   * The reply to a release was lost, the same worker claimed the job again, and both ends come in
   * one batch.
   */
  @Test
  void jobWithTwoLeasesInOneBatchEndsOnce() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed stale = sql.claim(worker, 1, 1, queue, 1).get(0);
      sql.settle(worker, 1, List.of(stale), "released");
      Sql.Claimed fresh = sql.claim(worker, 1, 2, queue, 1).get(0);
      assertEquals(
          List.of(
              new Sql.Verdict(fresh.id(), "settled", "succeeded"),
              new Sql.Verdict(stale.id(), "lease_lost", null)),
          settleBoth(worker, stale, "released", fresh, "succeeded"));
      assertEquals("succeeded", database.sql("SELECT string_agg(state, ',') FROM finished_jobs"));
    }
  }

  @Test
  void jobWithTwoLeasesInOneBatchIsRetriedOnce() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed stale = sql.claim(worker, 1, 1, queue, 1).get(0);
      sql.settle(worker, 1, List.of(stale), "released");
      Sql.Claimed fresh = sql.claim(worker, 1, 2, queue, 1).get(0);
      settleBoth(worker, stale, "released", fresh, "failed");
      assertEquals("retrying", sql.state(fresh.id()));
      assertEquals(
          fresh.token() + " failed",
          database.sql("SELECT string_agg(lease_token || ' ' || outcome, ',') FROM attempts"));
      assertEquals("1 1", database.sql("SELECT attempt || ' ' || attempt_rows FROM jobs"));
    }
  }

  @Test
  void staleTokenOfTheSameWorkerChangesNothing() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> stale = sql.claim(worker, 1, 1, queue, 1);
      sql.settle(worker, 1, stale, "released");
      List<Sql.Claimed> fresh = sql.claim(worker, 1, 2, queue, 1);
      for (String outcome : List.of("succeeded", "failed", "dead", "released")) {
        assertEquals("lease_lost", sql.settle(worker, 1, stale, outcome).get(0).verdict(), outcome);
      }
      assertEquals("settled", sql.settle(worker, 1, fresh, "succeeded").get(0).verdict());
    }
  }

  @Test
  void tokenOfAnotherWorkerChangesNothing() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> others = sql.claim(worker, 1, 1, queue, 1);
      assertEquals("lease_lost", sql.settle(worker, 2, others, "succeeded").get(0).verdict());
      assertEquals("running", sql.state(others.get(0).id()));
    }
  }

  @Test
  void leaseNamedTwiceIsRefused() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed job = sql.claim(worker, 1, 1, queue, 1).get(0);
      SQLException refused =
          assertThrows(SQLException.class, () -> settleBoth(worker, job, "succeeded", job, "dead"));
      assertEquals("22023", refused.getSQLState());
      assertEquals("running", sql.state(job.id()));
    }
  }

  @Test
  void limitedQueueNamedTwiceKeepsItsLimit() throws SQLException {
    int limited = sql.queue(project, "limited", 2);
    List<Long> ready = sql.ready(limited, 6);
    long key =
        Long.parseLong(database.sql("SELECT dispatch_key FROM jobs WHERE id = " + ready.get(3)));
    Long[][] keys = new Long[2][10];
    Long[][] ids = new Long[2][10];
    for (int lane = 0; lane < 10; lane++) {
      keys[0][lane] = 0L;
      ids[0][lane] = 0L;
      keys[1][lane] = key;
      ids[1][lane] = ready.get(3);
    }
    try (Connection worker = sql.asWorker()) {
      assertEquals(
          2,
          sql.claim(worker, 1, 1, new Integer[] {limited, limited}, new Integer[] {5, 5}, keys, ids)
              .size());
    }
  }

  /** Count and claim see each other's commits, whoever gets the queue's lock when. */
  @Test
  void limitHoldsInEverySnapshotWhileManyClaimAndSettle() throws Exception {
    int limited = sql.queue(project, "limited", 2);
    sql.ready(limited, 4_000);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      List<Future<Integer>> most = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long id = 10 + sql.worker(10 + i);
        Callable<Integer> work =
            () -> {
              int seen = 0;
              try (Connection worker = sql.asWorker();
                  Connection owner = database.connect(Role.OWNER)) {
                for (int round = 1; System.nanoTime() - end < 0; round++) {
                  List<Sql.Claimed> claimed = sql.claim(worker, id, round, limited, 2);
                  try (ResultSet row =
                      owner
                          .createStatement()
                          .executeQuery("SELECT count(*) FROM jobs.jobs WHERE state = 'running'")) {
                    row.next();
                    seen = Math.max(seen, row.getInt(1));
                  }
                  if (!claimed.isEmpty()) {
                    sql.settle(worker, id, claimed, new Integer[claimed.size()], "succeeded", null);
                  }
                }
              }
              return seen;
            };
        most.add(threads.submit(work));
      }
      for (Future<Integer> seen : most) {
        assertTrue(seen.get(20, TimeUnit.SECONDS) <= 2, "more than the limit ran");
      }
    } finally {
      threads.shutdownNow();
    }
    assertTrue(sql.number("SELECT count(*) FROM finished_jobs") > 20);
  }

  /** One row whose policy cannot be reckoned must not keep the others of its batch from ending. */
  @Test
  void garbageInARetryPolicyStopsNoRescueAndNoSettle() throws SQLException {
    List<String> garbage =
        List.of(
            "{\"baseSeconds\": \"soon\"}",
            "{\"baseSeconds\": 1e400}",
            "{\"strategy\": \"fixed\", \"baseSeconds\": 1e300, \"capSeconds\": 1e300}",
            "{\"strategy\": \"linear\", \"baseSeconds\": \"Infinity\", \"capSeconds\": \"Infinity\"}",
            "{\"baseSeconds\": 10, \"factor\": 1e300, \"capSeconds\": \"NaN\"}",
            "{\"baseSeconds\": 1e-300, \"capSeconds\": 1e300}",
            "{\"strategy\": \"list\", \"delaySeconds\": [\"x\"]}",
            "{\"strategy\": \"list\", \"delaySeconds\": [-1e300]}",
            "{\"strategy\": \"list\", \"delaySeconds\": []}",
            "{\"strategy\": [], \"jitter\": {}}",
            "[1, 2]",
            "\"exponential\"",
            "7");
    sql.ready(queue, 2 * garbage.size());
    for (int i = 0; i < garbage.size(); i++) {
      for (int twice = 0; twice < 2; twice++) {
        database.sql(
            "UPDATE jobs SET retry_policy = '%s' WHERE id = (SELECT min(id) FROM jobs WHERE retry_policy IS NULL)"
                .formatted(garbage.get(i)));
      }
    }
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> failing = sql.claim(worker, 1, 1, queue, garbage.size());
      assertTrue(
          sql.settle(worker, 1, failing, "failed").stream()
              .allMatch(v -> v.equals(new Sql.Verdict(v.id(), "settled", "retrying"))));
      database.sql("UPDATE jobs SET state = 'ready', run_at = NULL WHERE state = 'retrying'");
      // A loss goes by the policy from the second on.
      database.sql("UPDATE attempts SET outcome = 'lost'");
      assertEquals(2 * garbage.size(), sql.claim(worker, 2, 1, queue, 2 * garbage.size()).size());
    }
    database.sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = 2");
    database.sql("SELECT count(*) FROM rescue_jobs(1000, false)");
    assertEquals("0", database.sql("SELECT count(*) FROM jobs WHERE state = 'running'"));
    assertEquals(
        "true",
        database.sql(
            """
            SELECT bool_and(run_at BETWEEN clock_timestamp() - interval '10 s'
                                       AND clock_timestamp() + interval '366 days')::text
              FROM jobs WHERE state = 'retrying'
            """));
  }
}
