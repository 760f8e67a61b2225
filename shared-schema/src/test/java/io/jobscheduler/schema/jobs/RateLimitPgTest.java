package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The token bucket of a queue. Time passes where a test moves the bucket's refill into the past.
 */
class RateLimitPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void threeStartsADay() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "mail", null);
    sql.worker(1);
    sql.worker(2);
    rate("3, 86400000, 5");
  }

  private void rate(String limit) {
    database.sql("SELECT set_queue_limits(%d, NULL, NULL, %s)".formatted(queue, limit));
  }

  private void pass(String time) {
    database.sql(
        "UPDATE rate_buckets SET refilled_at = refilled_at - interval '%s'".formatted(time));
  }

  private int claim(Connection worker, int number, int wanted) throws SQLException {
    return sql.claim(worker, 1, number, queue, wanted).size();
  }

  private double tokens() {
    return Double.parseDouble(database.sql("SELECT tokens FROM rate_buckets"));
  }

  @Test
  void startsTheBurstThenWhatFlowsInAndNeverMoreThanTheBurst() throws SQLException {
    sql.ready(queue, 30);
    try (Connection worker = sql.asWorker()) {
      assertEquals(5, claim(worker, 1, 20));
      assertEquals(0, claim(worker, 2, 20));
      pass("8 hours");
      assertEquals(1, claim(worker, 3, 20));
      assertEquals(0, claim(worker, 4, 20));
      pass("10 days");
      assertEquals(5, claim(worker, 5, 20));
      assertEquals(0, claim(worker, 6, 20));
    }
  }

  @Test
  void tokensAreSpentOnlyForJobsThatAreClaimed() throws SQLException {
    sql.ready(queue, 2);
    try (Connection worker = sql.asWorker()) {
      assertEquals(2, claim(worker, 1, 5));
      assertEquals(3, tokens(), 0.01);
      assertEquals(0, claim(worker, 2, 5));
      sql.ready(queue, 5);
      assertEquals(3, claim(worker, 3, 5));
    }
  }

  /** Two claimers cannot both spend the last token: bucket and claim are one transaction. */
  @Test
  void tokensAreGivenBackWithTheClaimAndNotSpentTwice() throws SQLException {
    sql.ready(queue, 20);
    try (Connection first = sql.asWorker();
        Connection second = sql.asWorker()) {
      first.setAutoCommit(false);
      assertEquals(4, claim(first, 1, 4));
      assertEquals(0, sql.claim(second, 2, 1, queue, 4).size());
      first.rollback();
      assertEquals(4, sql.claim(second, 2, 2, queue, 4).size());
      assertEquals(1, claim(first, 2, 4));
      first.commit();
      assertEquals(0, sql.claim(second, 2, 3, queue, 4).size());
    }
  }

  @Test
  void clockThatRunsBackwardsAddsNothingAndBlocksNothing() throws SQLException {
    sql.ready(queue, 20);
    try (Connection worker = sql.asWorker()) {
      assertEquals(4, claim(worker, 1, 4));
      pass("-3 days");
      assertEquals(1, claim(worker, 2, 4));
      pass("8 hours");
      assertEquals(1, claim(worker, 3, 4), "counted from the claim after the clock was set back");
    }
  }

  /** A clock set back while the bucket is empty must not stop the queue until it has caught up. */
  @Test
  void emptyBucketFillsAgainAfterTheClockWasSetBack() throws SQLException {
    sql.ready(queue, 20);
    try (Connection worker = sql.asWorker()) {
      assertEquals(5, claim(worker, 1, 5));
      pass("-3 days");
      assertEquals(0, claim(worker, 2, 4));
      pass("8 hours");
      assertEquals(1, claim(worker, 3, 4));
    }
  }

  @Test
  void tellsWhenTheNextTokenComes() throws SQLException {
    sql.ready(queue, 20);
    try (Connection worker = sql.asWorker()) {
      assertEquals(0, waitMillis(worker));
      assertEquals(5, claim(worker, 1, 5));
      assertEquals(28_800_000, waitMillis(worker), 60_000);
      pass("6 hours");
      assertEquals(7_200_000, waitMillis(worker), 60_000);
    }
  }

  private double waitMillis(Connection worker) throws SQLException {
    try (var row =
        worker
            .createStatement()
            .executeQuery("SELECT wait_ms FROM jobs.next_tokens('{%d}')".formatted(queue))) {
      assertTrue(row.next());
      return row.getDouble(1);
    }
  }

  @Test
  void newRateKeepsWhatHasFlowedInAndAnEndedOneLeavesNothing() throws SQLException {
    sql.ready(queue, 30);
    try (Connection worker = sql.asWorker()) {
      assertEquals(5, claim(worker, 1, 5));
      pass("16 hours");
      rate("24, 86400000, 10");
      assertEquals(2, tokens(), 0.01);
      rate("24, 86400000, 1");
      assertEquals(1, claim(worker, 2, 9));
      rate("NULL, NULL, NULL");
      assertEquals("0", database.sql("SELECT count(*) FROM rate_buckets"));
      assertEquals(9, claim(worker, 3, 9));
    }
  }

  @Test
  void allLimitsOfAQueueHoldAtOnce() throws SQLException {
    database.sql("SELECT set_queue_limits(%d, 4, 1, 3, 86400000, 9)".formatted(queue));
    for (String key : new String[] {"'a'", "'a'", "'b'", "'b'", "NULL", "NULL", "NULL", "NULL"}) {
      sql.ready(queue, 1);
      database.sql(
          "UPDATE jobs SET concurrency_key = %s WHERE id = (SELECT max(id) FROM jobs)"
              .formatted(key));
    }
    try (Connection worker = sql.asWorker()) {
      var got = sql.claim(worker, 1, 1, queue, 20);
      assertEquals(4, got.size(), "the concurrency limit");
      assertEquals(
          "a,b",
          database.sql(
              "SELECT string_agg(concurrency_key, ',' ORDER BY 1) FROM jobs WHERE state = 'running'"));
      sql.settle(worker, 1, got, "succeeded");
      assertEquals(1, tokens(), 0.01);
      assertEquals(1, claim(worker, 2, 20), "the rate");
    }
  }

  @Test
  void anIdleClaimWritesNothing() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection superuser = database.superuser()) {
      String before = xmin(superuser);
      assertEquals(0, claim(worker, 1, 5));
      assertEquals(before, xmin(superuser));
    }
  }

  private static String xmin(Connection superuser) throws SQLException {
    try (var row = superuser.createStatement().executeQuery("SELECT xmin FROM jobs.rate_buckets")) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void theWorkersRoleCannotTouchABucket() throws SQLException {
    try (Connection worker = database.connect(Role.WORKER)) {
      SQLException refused =
          org.junit.jupiter.api.Assertions.assertThrows(
              SQLException.class,
              () -> worker.createStatement().execute("UPDATE jobs.rate_buckets SET tokens = 9"));
      assertEquals("42501", refused.getSQLState());
    }
  }
}
