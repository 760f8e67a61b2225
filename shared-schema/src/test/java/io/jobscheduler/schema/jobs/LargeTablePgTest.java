package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What claims and promotion read follows their batch: neither what waits beside, nor the number of
 * queues asked for, nor what the planner last believed decides it. Each is tried small, and (tagged
 * long) at the sizes at which others have failed.
 */
class LargeTablePgTest {
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");
  private static final int BATCH = 1_000;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;

  @BeforeEach
  void open() {
    sql = new Sql(database);
    project = sql.project("acme");
    sql.worker(1);
    database.sql("ALTER TABLE jobs SET (autovacuum_enabled = off)");
  }

  @Test
  void jobsThatAreDueAtOnceBecomeReadyInBatches() throws SQLException {
    promoteAll(50_000, 5_000);
  }

  @Test
  @Tag("long")
  void twoHundredThousandDueAtOnceBecomeReadyInBatches() throws SQLException {
    promoteAll(1_000_000, 200_000);
  }

  /** {@code waiting} jobs over 30 days, and {@code due} ones of one and the same second. */
  private void promoteAll(int waiting, int due) throws SQLException {
    int queue = sql.queue(project, "default", null);
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, run_at)
        SELECT 1, %1$d, 'echo', 'scheduled', 0, now() + interval '1 hour' + i %% 2592000 * interval '1 second'
          FROM generate_series(1, %2$d) i;
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, run_at)
        SELECT 1, %1$d, 'echo', 'scheduled', 0, date_trunc('second', now() - interval '1 second')
          FROM generate_series(1, %3$d) i
        """
            .formatted(queue, waiting, due));
    try (Connection scheduler = database.superuser();
        Statement statement = scheduler.createStatement()) {
      statement.execute("SET statement_timeout = '5s'");
      long buffers = buffersOf(scheduler, "SELECT * FROM jobs.promote_due(" + BATCH + ")");
      assertTrue(buffers < BATCH * 60, "buffers of a batch: " + buffers);
      int promoted = 0;
      int batch;
      long slowest = 0;
      do {
        long begun = System.nanoTime();
        batch = number(statement, "SELECT count(*) FROM jobs.promote_due(" + BATCH + ")");
        slowest = Math.max(slowest, System.nanoTime() - begun);
        promoted += batch;
      } while (batch == BATCH);
      assertEquals(due, promoted);
      System.out.printf(
          "promotion of %d among %d: buffers of a batch %d, slowest batch %d ms%n",
          due, waiting, buffers, slowest / 1_000_000);
    }
  }

  @Test
  void claimStopsEarlyHoweverManyQueuesAreAsked() throws SQLException {
    claimFromMany(45_000, 5_000);
  }

  /** The jobs that have ended, ten times as many, lie in other tables. */
  @Test
  @Tag("long")
  void claimStopsEarlyOnHalfAMillion() throws SQLException {
    claimFromMany(450_000, 50_000);
  }

  private void claimFromMany(int ready, int running) throws SQLException {
    database.sql(
        """
        INSERT INTO queues (project_id, name) SELECT 1, 'q' || i FROM generate_series(1, 1000) i;
        INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, ready_at)
        SELECT 1, q.ids[1 + i %% 1000], 'echo', 'ready', i %% 10, i %% 10, i, clock_timestamp()
          FROM generate_series(1, %1$d) i, (SELECT array_agg(id) AS ids FROM queues WHERE name <> 'default') q;
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, started_at, worker_id, lease_token,
            attempt)
        SELECT 1, q.ids[1 + i %% 1000], 'echo', 'running', i, now(), now(), 1, i, 1
          FROM generate_series(1, %2$d) i, (SELECT array_agg(id) AS ids FROM queues WHERE name <> 'default') q
        """
            .formatted(ready, running));
    try (Connection superuser = database.superuser()) {
      for (int queues : new int[] {1, 10, 1_000}) {
        for (boolean analyzed : new boolean[] {false, true}) {
          if (analyzed) {
            database.sql("ANALYZE jobs");
          }
          int wanted = Math.max(1, 10 / queues);
          long begun = System.nanoTime();
          long buffers = buffersOf(superuser, claim(queues, wanted));
          System.out.printf(
              "claim of %d from %d queues, analyzed=%b: %d buffers, %d ms twice%n",
              wanted * queues, queues, analyzed, buffers, (System.nanoTime() - begun) / 1_000_000);
          // A probe of each lane of each queue asked, and the jobs' own rows.
          assertTrue(
              buffers < 40L * queues + 40L * wanted * queues + 200,
              queues + " queues: " + buffers + " buffers");
        }
      }
    }
  }

  @Test
  void claimPlannedForAnotherTableReadsNoMore() throws SQLException {
    claimThroughTheFlip(100_000);
  }

  @Test
  @Tag("long")
  void claimPlannedForAnotherTableReadsNoMoreOfAMillion() throws SQLException {
    claimThroughTheFlip(1_000_000);
  }

  /**
   * One session, whose plans are of an empty table and then of a full one: a bulk load that nobody
   * has analyzed, and the drain to nothing after an analysis.
   */
  private void claimThroughTheFlip(int jobs) throws SQLException {
    int queue = sql.queue(project, "default", null);
    database.sql("ANALYZE jobs");
    try (Connection superuser = database.superuser();
        Statement statement = superuser.createStatement()) {
      String claim = claim(1, 100);
      for (int i = 0; i < 8; i++) {
        statement.execute(claim);
      }
      sql.ready(queue, jobs);
      long loaded = buffersOf(superuser, claim);
      database.sql("ANALYZE jobs");
      database.sql("DELETE FROM jobs");
      // The first that comes by passes the dead entries and marks them.
      statement.execute(claim);
      long drained = buffersOf(superuser, claim);
      sql.ready(queue, 100);
      long again = buffersOf(superuser, claim);
      System.out.printf(
          "claims of 100 after a load of %d: %d buffers; after the drain: %d; with 100 again: %d%n",
          jobs, loaded, drained, again);
      assertTrue(loaded < 4_000, "buffers after the load: " + loaded);
      assertTrue(again < 4_000 + jobs / 100, "buffers after the drain: " + again);
    }
  }

  private static String claim(int queues, int wanted) {
    String ids = IntStream.range(0, queues).mapToObj(i -> "" + (i + 1)).collect(joining());
    String each = Collections.nCopies(queues, "" + wanted).stream().collect(joining());
    String heads = Collections.nCopies(queues, "{0,0,0,0,0,0,0,0,0,0}").stream().collect(joining());
    return "SELECT * FROM jobs.claim(1, 2, '{%s}', '{%s}', '{%s}', '{%s}')"
        .formatted(ids, each, heads, heads);
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(",");
  }

  /** Of the second of two runs, both undone: the first warms the session's caches. */
  private static long buffersOf(Connection connection, String statement) throws SQLException {
    explain(connection, statement);
    return explain(connection, statement);
  }

  private static long explain(Connection connection, String sql) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + sql)) {
      while (rows.next()) {
        Matcher buffers = BUFFERS.matcher(rows.getString(1));
        if (buffers.find()) {
          return number(buffers.group(1)) + number(buffers.group(2));
        }
      }
      throw new AssertionError("no buffers in the plan");
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  private static int number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }
}
