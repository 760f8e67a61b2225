package io.jobscheduler.scheduler.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Buffers;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StatisticsPgTest {
  /** The minute that the roll-up has before it: ten minutes ago. */
  private static final String MINUTE =
      "(date_trunc('minute', now()) - interval '10 min' + interval '1 s')";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private StatisticsLoop statistics;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    new Jobs(database);
    statistics = loop();
    database.sql(
        "UPDATE statistics_progress SET rolled_to = date_trunc('minute', now()) - interval '10 min'");
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void countsByQueueAndTypeForEachSpan() throws Exception {
    ended(3, "succeeded", "t", MINUTE + " + i * interval '1 ms'");
    ended(2, "dead", "t", MINUTE + " + interval '20 s'");
    ended(1, "cancelled", "other", MINUTE);
    database.sql("UPDATE finished_jobs SET state_reason = 'expired' WHERE state = 'cancelled'");

    statistics.runOnce();

    for (int span : new int[] {60, 3600, 86400}) {
      assertEquals(
          "other:0/0/1/1/0 t:3/2/0/0/2",
          database.sql(
              "SELECT string_agg(format('%s:%s/%s/%s/%s/%s', type, succeeded, dead, cancelled,"
                  + " expired, failed_attempts), ' ' ORDER BY type) FROM job_statistics"
                  + " WHERE project_id = 1 AND queue_id = 1 AND span = "
                  + span));
    }
  }

  @Test
  void histogramsTellWaitAndRunTime() throws Exception {
    // Waited 1 s, ran 2 s: buckets that hold 1,000 and 2,000 ms.
    ended(4, "succeeded", "t", MINUTE);

    statistics.runOnce();

    assertEquals(
        "4 4 1000 1448 4",
        database.sql(
            "SELECT format('%s %s %s %s %s', wait_histogram[1 + histogram_bucket('1 s')],"
                + " run_histogram[1 + histogram_bucket('2 s')], 1000,"
                + " round(power(2, histogram_bucket('1.447 s') / 2.0)),"
                + " (SELECT sum(n) FROM unnest(run_histogram) n))"
                + " FROM job_statistics WHERE span = 60"));
  }

  @Test
  void bucketsEndAtPowersOfTheRootOfTwo() {
    assertEquals(
        "0 1 2 3 5 63 63 0",
        database.sql(
            "SELECT string_agg(histogram_bucket(d)::text, ' ' ORDER BY n) FROM unnest(ARRAY["
                + "'0.9 ms', '1 ms', '1.42 ms', '2 ms', '4 ms', '30 days', '1000 years', '-5 s']"
                + "::interval[]) WITH ORDINALITY AS u (d, n)"));
  }

  @Test
  void attemptsThatFailedCountWhereverTheirJobIs() throws Exception {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, run_at, dispatch_key)"
            + " VALUES (1, 1, 't', 'retrying', now(), 1)");
    attempt("attempts", "max(id), NULL FROM jobs", "failed");
    ended(1, "succeeded", "t", "now()");
    attempt("finished_attempts", "id, retain_until FROM finished_jobs", "lost");

    statistics.runOnce();

    assertEquals(
        "1 1 0",
        database.sql(
            "SELECT format('%s %s %s', failed_attempts, lost_attempts, succeeded)"
                + " FROM job_statistics WHERE span = 60"));
  }

  @Test
  void eachRowCountsOnceHoweverOftenItIsLookedAt() throws Exception {
    ended(5, "succeeded", "t", MINUTE + " + i * interval '5 s'");
    database.sql("ALTER TABLE statistics_progress ADD CHECK (horizon_at IS NULL)");
    assertThrows(SQLException.class, statistics::runOnce, "nothing of a failed round stays");
    database.sql(
        "ALTER TABLE statistics_progress DROP CONSTRAINT statistics_progress_horizon_at_check");

    statistics.runOnce();
    statistics.runOnce();
    loop().runOnce();

    assertEquals("5 5 5", counted());
  }

  @Test
  void rowOfASettleThatCommitsLateIsNotMissed() throws Exception {
    StatisticsLoop patient = loopWithPatience("PT30M");
    try (Connection older = database.connect(Role.OWNER);
        Connection settle = database.connect(Role.OWNER);
        Statement olderStatement = older.createStatement();
        Statement statement = settle.createStatement()) {
      older.setAutoCommit(false);
      settle.setAutoCommit(false);
      olderStatement.execute("SELECT pg_current_xact_id()");
      statement.execute("SET search_path = jobs");
      statement.execute(insert(1, "succeeded", "t", "now() - interval '8 min'"));

      patient.runOnce();
      older.rollback();
      // The settle is younger than what the horizon waited for first.
      patient.runOnce();
      assertEquals(null, counted());
      settle.commit();
    }
    // Another transaction, such as autovacuum's, may be waited for as well.
    Await.until(
        "counted",
        Duration.ofSeconds(10),
        () -> {
          patient.runOnce();
          return "1 1 1".equals(counted());
        });
  }

  @Test
  void foreignTransactionHoldsUpNothingForLongerThanThePatience() throws Exception {
    ended(1, "succeeded", "t", MINUTE);
    ended(1, "succeeded", "t", "now() - interval '1 min'");
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT pg_current_xact_id()");
      loopWithPatience("PT30M").runOnce();
      assertEquals(null, counted());

      loopWithPatience("PT5M").runOnce();
      assertEquals("1 1 1", counted());
      other.rollback();
    }
  }

  @Test
  void rowThatCannotBeCountedCostsItsMillisecondOnly() throws Exception {
    ended(40, "succeeded", "t", MINUTE + " + i * interval '100 ms'");
    ended(1, "succeeded", "bad", MINUTE + " + interval '1.05 s'");
    database.sql("ALTER TABLE job_statistics ADD CONSTRAINT poison CHECK (type <> 'bad')");
    try (LogCapture log = LogCapture.of(StatisticsLoop.class)) {
      statistics.runOnce();

      assertEquals("40 40 40", counted());
      assertEquals(1, log.messages().size(), log.messages()::toString);
      assertTrue(log.messages().get(0).startsWith("A millisecond cannot be counted"));
    }
    assertEquals(
        "true",
        database.sql(
            "SELECT (rolled_to > now() - interval '2 min')::text FROM statistics_progress"));
  }

  @Test
  void depthIsTheMostThatWaitedAmongASpansSamples() throws Exception {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, ready_at, dispatch_key)"
            + " SELECT 1, 1, 't', 'ready', now(), i FROM generate_series(1, 7) i");
    statistics.runOnce();
    database.sql("DELETE FROM jobs WHERE dispatch_key > 2");
    statistics.runOnce();
    assertEquals("7 7 7", depths(), "one sample a minute");

    database.sql("UPDATE queue_depths SET ready = 1 WHERE span <> 60");
    database.sql("UPDATE statistics_progress SET sampled_at = '-infinity'");
    statistics.runOnce();
    assertEquals("7 2 2", depths());
  }

  @Test
  void forgetsWhatIsTooOldInBoundedBatches() throws Exception {
    ended(1, "succeeded", "t", MINUTE);
    statistics.runOnce();
    database.sql(
        "INSERT INTO job_statistics SELECT project_id, p.span, now() - p.age - i * interval '1 s',"
            + " queue_id, type, 0, 0, 0, 0, 0, 0, 0, '{}', '{}' FROM job_statistics s,"
            + " (VALUES (60, interval '48 h'), (3600, interval '90 d'), (86400, interval '730 d'))"
            + " AS p (span, age), generate_series(1, 700) i WHERE s.span = 60");
    assertEquals(
        1_000, rig.transactions.run(rig.term(), t -> StatisticsStore.forget(t, 1_000)).intValue());

    database.sql(
        "UPDATE statistics_progress SET rolled_to = date_trunc('minute', now()) - interval '9 min'");
    rig.clock.advance(Duration.ofMinutes(10));
    statistics.runOnce();

    assertEquals("3", database.sql("SELECT count(*) FROM job_statistics"));
  }

  @Test
  void readsLittleMoreThanTheMinute() throws Exception {
    database.sql("SELECT ensure_partitions()");
    // In the order in which jobs end; two seconds of them are in the minute.
    ended(60_000, "succeeded", "t", MINUTE + " + (i - 30000) * interval '1 s'");
    database.sql("ANALYZE finished_jobs");
    String rollUp = "SELECT * FROM jobs.roll_up_statistics('1 minute', '2 minutes', false)";
    long all =
        Long.parseLong(
            database.sql(
                "SELECT (sum(pg_relation_size(inhrelid)) / 8192)::bigint FROM pg_inherits"
                    + " WHERE inhparent = 'finished_jobs'::regclass"));

    long before = Buffers.of(database, rollUp);
    rig.transactions.run(rig.term(), StatisticsStore::summarise);
    long after = Buffers.of(database, rollUp);

    System.out.printf("Buffers of a minute's roll-up: %d, summarised %d%n", before, after);
    assertTrue(before - after > all / 2, before + " and " + after + " of " + all);
  }

  @Test
  void standbyCountsNothing() throws Exception {
    ended(1, "succeeded", "t", MINUTE);
    rig.leadership.close();
    statistics.runOnce();
    assertEquals(null, counted());
  }

  /** Succeeded jobs by span, the longest first; null when none is counted. */
  private String counted() {
    return database.sql(
        "SELECT string_agg(c.n::text, ' ') FROM (SELECT sum(succeeded) AS n FROM job_statistics"
            + " GROUP BY span ORDER BY span DESC) c");
  }

  private String depths() {
    return database.sql(
        "SELECT string_agg(ready::text, ' ' ORDER BY span) FROM queue_depths WHERE queue_id = 1");
  }

  private void ended(int count, String state, String type, String finishedAt) {
    database.sql(insert(count, state, type, finishedAt));
  }

  /** Jobs that waited a second and ran two; {@code i} counts from 1. */
  private static String insert(int count, String state, String type, String finishedAt) {
    return "INSERT INTO finished_jobs (id, lease_token, created_at, ready_at, started_at,"
        + " finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows,"
        + " returned, priority, has_dependencies, has_dependents, state, type) SELECT"
        + " nextval('job_id_seq'), 1, now(), f.at - interval '3 s', f.at - interval '2 s', f.at,"
        + " retention_today() + 7, 1, 1, 1, 1, 0, 0, 4, false, false, '"
        + state
        + "', '"
        + type
        + "' FROM generate_series(1, "
        + count
        + ") AS s (i) CROSS JOIN LATERAL (SELECT "
        + finishedAt
        + " AS at) f";
  }

  private void attempt(String table, String job, String outcome) {
    boolean finished = table.startsWith("finished");
    database.sql(
        "INSERT INTO "
            + table
            + " (lease_token, started_at, ended_at, attempt, outcome, job_id"
            + (finished ? ", retain_until" : "")
            + ") SELECT 1, s.at - interval '1 s', s.at, 1, '"
            + outcome
            + "', j.id"
            + (finished ? ", j.until" : "")
            + " FROM (SELECT "
            + MINUTE
            + " AS at) s, (SELECT "
            + job
            + ") AS j (id, until)");
  }

  private StatisticsLoop loop() {
    return loopWithPatience("PT2M");
  }

  private StatisticsLoop loopWithPatience(String patience) {
    return new StatisticsLoop(
        rig.leadership,
        rig.transactions,
        rig.agenda,
        Configs.of(StatisticsConfig.class, "jobs.scheduler.statistics.patience", patience),
        rig.loops,
        rig.clock);
  }
}
