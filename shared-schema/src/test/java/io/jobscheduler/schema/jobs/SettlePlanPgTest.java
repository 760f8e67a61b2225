package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Settle and promote find their rows by primary key, also when the statistics are from a time at
 * which nothing ran and nothing was due: a partial index believed empty then holds every lease that
 * ended since, and every job that is due some day.
 */
class SettlePlanPgTest {
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void manyReadyRows() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    database.sql("ALTER TABLE jobs SET (autovacuum_enabled = off)");
    sql.ready(queue, 20_200);
    database.sql("ANALYZE jobs");
  }

  @Test
  void settleNeverReadsTheIndexOfAllLeases() throws SQLException {
    try (Connection session = database.superuser();
        Connection worker = sql.asWorker()) {
      // The session's plans are made, and kept, while hardly a lease exists.
      for (int i = 0; i < 10; i++) {
        execute(session, settle(sql.claim(worker, 1, i, queue, 10)));
      }
      for (int i = 0; i < 40; i++) {
        execute(session, settle(sql.claim(worker, 1, 100 + i, queue, 500)));
      }
      assertEquals(0, scansOfLeases(session));
    }
  }

  private static long scansOfLeases(Connection session) throws SQLException {
    execute(session, "SELECT pg_stat_force_next_flush()");
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'jobs_running'")) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void promotionOfOneJobDoesNotReadAllThatAreDueSomeDay() throws SQLException {
    String promotion =
        "SELECT * FROM jobs.promote_jobs(ARRAY["
            + database.sql("SELECT max(id) FROM jobs")
            + "]::bigint[])";
    try (Connection session = database.superuser()) {
      for (int i = 0; i < 10; i++) {
        explain(session, promotion);
      }
      database.sql("UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 day'");
      long buffers = buffersOf(session, promotion);
      assertTrue(buffers < 60, "buffers of a promotion of one: " + buffers);
    }
  }

  /** Each kind of queue chooses by a statement of its own. */
  @Test
  void claimPlannedBeforeThereWereEdgesReadsThoseOfItsJobsOnly() throws SQLException {
    database.sql("ALTER TABLE dependencies SET (autovacuum_enabled = off)");
    List<String> limits =
        List.of("NULL, NULL, NULL, NULL, NULL", "NULL, NULL, 9, 9, 9", "NULL, 9, NULL, NULL, NULL");
    for (String limit : limits) {
      int own = sql.queue(1, "q" + limits.indexOf(limit), null);
      database.sql("SELECT set_queue_limits(%d, %s)".formatted(own, limit));
      sql.ready(own, 5);
      String claim =
          "SELECT * FROM jobs.claim(1, 2, '{%d}', '{3}', %s, %2$s)"
              .formatted(own, "array_fill(0::bigint, ARRAY[1, 10])");
      try (Connection session = database.superuser()) {
        for (int i = 0; i < 10; i++) {
          explain(session, claim);
        }
        database.sql(
            """
            UPDATE jobs SET has_dependencies = true WHERE queue_id = %d;
            INSERT INTO dependencies (child_id, parent_id) SELECT -i, i FROM generate_series(1, 100000) i
            """
                .formatted(own));
        long buffers = buffersOf(session, claim);
        assertTrue(buffers < 400, "buffers of a claim of 3 with " + limit + ": " + buffers);
        database.sql("TRUNCATE dependencies");
      }
    }
  }

  private static String settle(List<Sql.Claimed> claimed) {
    String texts = "array_fill(NULL::text, ARRAY[%d])".formatted(claimed.size());
    return """
    SELECT * FROM jobs.settle(1, ARRAY%1$s, ARRAY%2$s, array_fill(NULL::int, ARRAY[%3$d]),
      array_fill('succeeded'::text, ARRAY[%3$d]), %4$s, %4$s, %4$s, %4$s, %4$s,
      array_fill(NULL::interval, ARRAY[%3$d]), NULL)
    """
        .formatted(
            claimed.stream().map(Sql.Claimed::id).toList(),
            claimed.stream().map(Sql.Claimed::token).toList(),
            claimed.size(),
            texts);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

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
