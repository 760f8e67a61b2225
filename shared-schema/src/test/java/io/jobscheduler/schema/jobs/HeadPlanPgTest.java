package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The storage design's promise on a million ready rows: what a claim and a settle read depends on
 * the size of the batch, not of the table, and with the remembered head not on the dead entries
 * before it.
 */
class HeadPlanPgTest {
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void aMillionReadyRows() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    database.sql(
        """
        ALTER TABLE jobs SET (autovacuum_enabled = off);
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at)
        SELECT 1, %d, 'echo', 'ready', i, clock_timestamp() FROM generate_series(1, 1000000) i
        """
            .formatted(queue));
  }

  @Test
  void claimAndSettleReadByTheBatchAndNotByTheTable() throws SQLException {
    try (Connection superuser = database.superuser();
        Connection worker = sql.asWorker()) {
      // Statistics say nothing yet: the plan must be right without them, and later with them.
      for (boolean analyzed : new boolean[] {false, true}) {
        if (analyzed) {
          database.sql("ANALYZE jobs");
        }
        long buffers = buffersOf(superuser, claim(0, 100));
        assertTrue(buffers < 100 * 40, "buffers of a claim of 100: " + buffers);
      }
      var claimed = sql.claim(worker, 1, 1, queue, 100);
      assertEquals(100, claimed.size());
      String ids = claimed.stream().map(c -> "" + c.id()).toList().toString();
      String tokens = claimed.stream().map(c -> "" + c.token()).toList().toString();
      long buffers = buffersOf(superuser, settle(ids, tokens));
      assertTrue(buffers < 100 * 60, "buffers of a settle of 100: " + buffers);
    }
  }

  /**
   * A transaction that holds a snapshot keeps every claimed job's index entry alive: the field's
   * death spiral.
   */
  @Test
  void rememberedHeadSparesTheDeadEntriesThatASnapshotKeeps() throws SQLException {
    try (Connection snapshot = database.superuser();
        Connection superuser = database.superuser()) {
      snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      snapshot.setAutoCommit(false);
      snapshot.createStatement().execute("SELECT 1 FROM jobs.queues");
      try (Connection worker = sql.asWorker()) {
        assertEquals(50_000, sql.claim(worker, 1, 1, queue, 50_000).size());
      }
      // One row: what is counted is the way to it.
      long withoutHead = buffersOf(superuser, claim(0, 1));
      long withHead = buffersOf(superuser, claim(50_001, 1));
      snapshot.rollback();
      assertTrue(
          withHead * 5 < withoutHead,
          "buffers with the head: " + withHead + ", without: " + withoutHead);
    }
  }

  private String claim(long headKey, int wanted) {
    String keys = "0,".repeat(5) + headKey + ",0".repeat(4);
    return "SELECT * FROM jobs.claim(1, 2, '{%d}', '{%d}', '{{%s}}', '{{0,0,0,0,0,0,0,0,0,0}}')"
        .formatted(queue, wanted, keys);
  }

  private static String settle(String ids, String tokens) {
    String none = "array_fill(NULL::text, ARRAY[100])";
    return ("SELECT * FROM jobs.settle(1, ARRAY%s, ARRAY%s, array_fill(NULL::int, ARRAY[100]),"
            + " array_fill('succeeded'::text, ARRAY[100]), %s, %s, %s, %s, %s,"
            + " array_fill(NULL::interval, ARRAY[100]), NULL)")
        .formatted(ids, tokens, none, none, none, none, none);
  }

  /**
   * Buffers touched by a statement, undone afterwards; the first run of a session warms its catalog
   * caches.
   */
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
}
