package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No more jobs with one concurrency key run at once than the queue allows, at a bounded cost. */
class KeyLimitPgTest {
  private static final Pattern SHARED = Pattern.compile("shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "keyed", null);
    limit(1);
    sql.worker(1);
    sql.worker(2);
  }

  private void limit(int perKey) {
    database.sql(
        "UPDATE queues SET per_key_concurrency = %d WHERE id = %d".formatted(perKey, queue));
  }

  /** Ready jobs of one key (null: none) with keys of dispatch from {@code first} on. */
  private List<Long> ready(String key, long first, int count) {
    return sql.ids(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, concurrency_key)
        SELECT 1, %d, 'echo', 'ready', i, clock_timestamp(), %s FROM generate_series(%d, %d) i
        RETURNING id
        """
            .formatted(queue, key == null ? "NULL" : "'" + key + "'", first, first + count - 1));
  }

  private List<Sql.Claimed> claim(Connection worker, long number, int wanted) throws SQLException {
    return sql.claim(worker, 1, number, queue, wanted);
  }

  private static Set<Long> ids(List<Sql.Claimed> claimed) {
    return Set.copyOf(claimed.stream().map(Sql.Claimed::id).toList());
  }

  private int mostRunningWithOneKey() {
    return sql.number(
        """
        SELECT coalesce(max(n), 0) FROM (
          SELECT count(*) AS n FROM jobs WHERE state = 'running' AND concurrency_key IS NOT NULL
           GROUP BY concurrency_key) s
        """);
  }

  @Test
  void runsNoMoreThanTheLimitWithOneKeyWhoeverClaims() throws SQLException {
    limit(2);
    List<Long> a = ready("a", 1, 5);
    List<Long> b = ready("b", 6, 5);
    try (Connection first = sql.asWorker();
        Connection second = sql.asWorker()) {
      first.setAutoCommit(false);
      assertEquals(Set.of(a.get(0)), ids(claim(first, 1, 1)));
      // The queue's lock is the first one's until it commits.
      assertEquals(0, sql.claim(second, 2, 1, queue, 9).size());
      first.commit();
      List<Sql.Claimed> got = sql.claim(second, 2, 2, queue, 9);
      assertEquals(Set.of(a.get(1), b.get(0), b.get(1)), ids(got));
      assertEquals(List.of(), claim(first, 2, 9));
      first.commit();
      sql.settle(second, 2, got.subList(0, 1), "succeeded");
      assertEquals(1, claim(first, 3, 9).size());
      first.commit();
    }
    assertEquals(2, mostRunningWithOneKey());
  }

  @Test
  void jobsWithoutAKeyAreNotLimitedAndTheQueuesOwnLimitStillIs() throws SQLException {
    List<Long> keyless = ready(null, 1, 5);
    ready("a", 6, 5);
    try (Connection worker = sql.asWorker()) {
      assertEquals(6, claim(worker, 1, 20).size());
      for (long id : keyless) {
        assertEquals("running", sql.state(id));
      }
      ready(null, 20, 5);
      database.sql("UPDATE queues SET max_concurrency = 8 WHERE id = " + queue);
      assertEquals(2, claim(worker, 2, 20).size());
      assertEquals(0, claim(worker, 3, 20).size());
    }
  }

  /** Whoever is skipped because of its key must not be overtaken for ever within its key. */
  @Test
  void dispatchOrderHoldsBetweenKeysAndWithinOne() throws SQLException {
    List<Long> a = ready("a", 1, 3);
    List<Long> b = ready("b", 4, 2);
    List<Long> c = ready("c", 6, 2);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> got = claim(worker, 1, 2);
      assertEquals(Set.of(a.get(0), b.get(0)), ids(got));
      assertEquals(Set.of(c.get(0)), ids(claim(worker, 2, 2)));
      sql.settle(worker, 1, got, "succeeded");
      assertEquals(Set.of(a.get(1)), ids(claim(worker, 3, 1)));
    }
  }

  /**
   * One full key with 200,000 jobs at the head and 100 others: found at once, by few buffers, in
   * under 20 ms of the server's time.
   */
  @Test
  void fullKeyAtTheHeadIsSteppedOverInOneProbe() throws SQLException {
    ready("full", 1, 200_000);
    List<Long> others = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      others.addAll(ready("free" + i, 300_000 + i, 1));
    }
    try (Connection worker = sql.asWorker();
        Connection superuser = database.superuser()) {
      assertEquals(1, claim(worker, 1, 1).size());
      double best = Double.MAX_VALUE;
      for (int analyzed = 0; analyzed <= 1; analyzed++) {
        long buffers = 0;
        for (int i = 0; i < 5; i++) {
          Cost cost = costOf(superuser, 8);
          buffers = cost.buffers();
          best = Math.min(best, cost.millis());
        }
        assertTrue(buffers < 6_000, "buffers of a claim of 8: " + buffers);
        database.sql("ANALYZE jobs");
      }
      assertTrue(best < 20, "ms of a claim of 8: " + best);
      Set<Long> got = ids(claim(worker, 2, 8));
      assertEquals(Set.copyOf(others.subList(0, 8)), got);
      assertEquals(92, claim(worker, 3, 100).size());
      assertEquals(0, claim(worker, 4, 100).size());
    }
  }

  private record Cost(long buffers, double millis) {}

  private Cost costOf(Connection superuser, int wanted) throws SQLException {
    superuser.setAutoCommit(false);
    try (Statement statement = superuser.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) SELECT * FROM jobs.claim(1, 9, '{%d}', '{%d}',
                  '{{0,0,0,0,0,0,0,0,0,0}}', '{{0,0,0,0,0,0,0,0,0,0}}')
                """
                    .formatted(queue, wanted))) {
      long buffers = -1;
      double millis = 0;
      while (rows.next()) {
        String line = rows.getString(1);
        Matcher shared = SHARED.matcher(line);
        if (buffers < 0 && shared.find()) {
          buffers = number(shared.group(1)) + number(shared.group(2));
        } else if (line.startsWith("Execution Time: ")) {
          millis = Double.parseDouble(line.replaceAll("[^0-9.]", ""));
        }
      }
      return new Cost(buffers, millis);
    } finally {
      superuser.rollback();
      superuser.setAutoCommit(true);
    }
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  /** More full keys than one claim walks over: the walk goes on where it stopped. */
  @Test
  void freeKeyBehindAThousandFullOnesIsFoundInAFewClaims() throws SQLException {
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, concurrency_key)
        SELECT 1, %1$d, 'echo', 'ready', i, clock_timestamp(), 'k' || lpad((i %% 1000)::text, 4, '0')
          FROM generate_series(1, 3000) i
        """
            .formatted(queue));
    try (Connection worker = sql.asWorker()) {
      assertEquals(1000, claim(worker, 1, 1000).size());
      List<Long> free = ready("k0999x", 10_000, 1);
      int claims = 0;
      while (!sql.state(free.get(0)).equals("running")) {
        assertTrue(++claims <= 5, "not found by " + claims + " claims");
        claim(worker, 1 + claims, 4);
      }
    }
    assertEquals(1, mostRunningWithOneKey());
  }

  @Test
  void jobWithoutAKeyBehindAFullOneIsFoundInABoundedNumberOfClaims() throws SQLException {
    ready("full", 1, 5_000);
    List<Long> keyless = ready(null, 6_000, 1);
    try (Connection worker = sql.asWorker()) {
      int claims = 0;
      while (!sql.state(keyless.get(0)).equals("running")) {
        assertTrue(++claims <= 7, "not found by " + claims + " claims");
        claim(worker, claims, 4);
      }
      assertEquals(2, sql.number("SELECT count(*) FROM jobs WHERE state = 'running'"));
    }
  }

  /** Between the snapshot and the lock another has moved the job to a key that is full. */
  @Test
  void jobWhoseKeyChangesMeanwhileIsLeftAlone() throws SQLException {
    List<Long> a = ready("a", 1, 2);
    List<Long> b = ready("b", 3, 1);
    try (Connection worker = sql.asWorker();
        Connection editor = database.superuser()) {
      assertEquals(Set.of(a.get(0), b.get(0)), ids(claim(worker, 1, 5)));
      List<Long> c = ready("c", 4, 1);
      editor.setAutoCommit(false);
      editor
          .createStatement()
          .execute("UPDATE jobs.jobs SET concurrency_key = 'a' WHERE id = " + c.get(0));
      // Held by another: passed over, and nobody waits.
      assertEquals(0, claim(worker, 2, 5).size());
      editor.commit();
      assertEquals(0, claim(worker, 3, 5).size());
    }
    assertEquals(1, mostRunningWithOneKey());
  }
}
