package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When a failed attempt is repeated, and when it is not. */
class RetryPolicyPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
  }

  /** One job fails once; returns its state, reason and seconds to wait, rounded up. */
  private String failOnce(String kind, String delay, String until) throws SQLException {
    try (Connection worker = sql.asWorker()) {
      Sql.Claimed job = sql.claim(worker, 1, 1, queue, 1).get(0);
      sql.settleOne(worker, job, "failed", kind, delay, until);
      return database.sql(
          """
          SELECT concat_ws(' ', state, state_reason, CASE state WHEN 'retrying' THEN
                   ceil(extract(epoch FROM run_at - clock_timestamp())) END)
            FROM all_jobs WHERE id = %d
          """
              .formatted(job.id()));
    }
  }

  private String failOnce(String policy, String kind, String delay, String until)
      throws SQLException {
    sql.ready(queue, 1);
    database.sql("UPDATE jobs SET retry_policy = '%s' WHERE state = 'ready'".formatted(policy));
    return failOnce(kind, delay, until);
  }

  /** Field case C041: neither in the past, nor beyond the cap, nor an exception. */
  @Test
  void backoffNeitherOverflowsNorGoesBack() {
    assertEquals(
        null,
        database.sql(
            """
            SELECT string_agg(concat_ws(' ', a, base, factor, cap, d), ', ') FROM (
              SELECT a, base, factor, cap, retry_delay(json_build_object('strategy', s, 'baseSeconds', base,
                       'factor', factor, 'capSeconds', cap, 'jitter', j), a) AS d
                FROM unnest(ARRAY[1, 2, 30, 31, 32, 62, 63, 64, 100, 305, 999, 1000]) AS a,
                     unnest(ARRAY[1, 3600, 1e300]) AS base, unnest(ARRAY[1, 2, 10, 1e300]) AS factor,
                     unnest(ARRAY[1, 3600, 315360000, 1e308]) AS cap,
                     unnest(ARRAY['exponential', 'linear', 'fixed']) AS s, unnest(ARRAY['full', 'none']) AS j) x
             WHERE d IS NULL OR d < interval '0'
                OR d > make_interval(secs => least(cap, 31536000))
            """));
  }

  /** Field case C047: fixed means fixed, full jitter spreads between nothing and the delay. */
  @Test
  void jitterSpreadsWithinTheDelayAndFixedMeansFixed() {
    String delays =
        "SELECT concat_ws(' ', count(DISTINCT d), min(d) >= interval '0', max(d) <= interval '8 s',"
            + " min(d) < interval '1 s', max(d) > interval '7 s') FROM (SELECT retry_delay('%s', 4)"
            + " AS d FROM generate_series(1, 5000)) x";
    assertEquals(
        "1 t t f t",
        database.sql(
            delays.formatted("{\"strategy\": \"fixed\", \"baseSeconds\": 8, \"capSeconds\": 60}")));
    String spread =
        database.sql(
            delays.formatted("{\"baseSeconds\": 1, \"capSeconds\": 60, \"jitter\": \"full\"}"));
    assertTrue(spread.endsWith(" t t t t"), spread);
    assertTrue(Integer.parseInt(spread.split(" ")[0]) > 4_500, spread);
  }

  @Test
  void queuesPolicyIsForJobsThatNameNone() throws SQLException {
    database.sql(
        "UPDATE queues SET retry_policy = '{\"strategy\": \"fixed\", \"baseSeconds\": 500}'");
    sql.ready(queue, 1);
    assertEquals("retrying failed 500", failOnce("NULL", "NULL", "NULL"));
    assertEquals(
        "retrying failed 7",
        failOnce("{\"strategy\": \"fixed\", \"baseSeconds\": 7}", "NULL", "NULL", "NULL"));
  }

  @Test
  void whatTheFailureItselfAsksForGoesBeforeThePolicy() throws SQLException {
    String policy = "{\"strategy\": \"fixed\", \"baseSeconds\": 7, \"capSeconds\": 10}";
    assertEquals("retrying failed 120", failOnce(policy, "NULL", "'2 minutes'", "NULL"));
    assertEquals(
        "retrying failed 90", failOnce(policy, "NULL", "NULL", "now() + interval '90 seconds'"));
    assertEquals("retrying failed 0", failOnce(policy, "NULL", "'-5 s'", "NULL"));
    assertEquals("retrying failed 31536000", failOnce(policy, "NULL", "NULL", "'infinity'"));
  }

  @Test
  void firstRuleThatMatchesTheErrorKindDecides() throws SQLException {
    String policy =
        "{\"strategy\": \"fixed\", \"baseSeconds\": 7, \"rules\": ["
            + "{\"kinds\": [\"http-404\", \"gone\"], \"action\": \"dead\"},"
            + "{\"kinds\": [\"unwanted\"], \"action\": \"cancel\"},"
            + "{\"kinds\": [\"http-4*\"], \"baseSeconds\": 70},"
            + "{\"kinds\": [\"http-*\"], \"strategy\": \"list\", \"delaySeconds\": [11]}]}";
    assertEquals("dead retry-rule", failOnce(policy, "'http-404'", "NULL", "NULL"));
    assertEquals("dead retry-rule", failOnce(policy, "'gone'", "'1 s'", "NULL"));
    assertEquals("cancelled retry-rule", failOnce(policy, "'unwanted'", "NULL", "NULL"));
    assertEquals("retrying failed 70", failOnce(policy, "'http-429'", "NULL", "NULL"));
    assertEquals("retrying failed 11", failOnce(policy, "'http-503'", "NULL", "NULL"));
    assertEquals("retrying failed 7", failOnce(policy, "'http_404'", "NULL", "NULL"));
    assertEquals("retrying failed 7", failOnce(policy, "NULL", "NULL", "NULL"));
  }

  @Test
  void ruleThatEndsTheJobHoldsForItsLastAttemptToo() throws SQLException {
    String rule = "{\"rules\": [{\"kinds\": [\"unwanted\"], \"action\": \"%s\"}]}";
    for (String end : List.of("cancelled retry-rule", "dead retry-rule", "dead")) {
      long id = sql.ready(queue, 1).get(0);
      database.sql(
          "UPDATE jobs SET max_attempts = 1, retry_policy = '%s' WHERE id = %d"
              .formatted(rule.formatted(end.startsWith("cancel") ? "cancel" : "dead"), id));
      assertEquals(end, failOnce(end.equals("dead") ? "'other'" : "'unwanted'", "NULL", "NULL"));
    }
  }

  @Test
  void patternTakesOnlyTheStarForMore() {
    assertEquals(
        "true false false true false",
        database.sql(
            """
            SELECT string_agg((retry_policy_for('{"rules": [{"kinds": ["a%_\\\\*"], "hit": true}]}', k)
                                 ->> 'hit' IS NOT NULL)::text, ' ' ORDER BY n)
              FROM unnest(ARRAY['a%_\\x', 'abbbb', 'a%_x', 'a%_\\', 'xa%_\\']) WITH ORDINALITY AS u (k, n)
            """));
  }

  @Test
  void policyThatMakesNoSenseCountsAsNoneAndNeverStopsASettle() throws SQLException {
    for (String policy :
        List.of(
            "{\"rules\": 7}",
            "{\"rules\": [7]}",
            "{\"rules\": [{\"kinds\": \"x\"}]}",
            "{\"rules\": [{\"kinds\": [\"*\"], \"baseSeconds\": \"soon\"}]}",
            "{\"maxElapsedSeconds\": \"long\"}",
            "[1]",
            "7",
            "\"x\"")) {
      assertTrue(failOnce(policy, "'x'", "NULL", "NULL").startsWith("retrying failed"), policy);
    }
  }

  @Test
  void noAttemptStartsAfterTheDeadlineOfAllRetries() throws SQLException {
    String policy = "{\"strategy\": \"fixed\", \"baseSeconds\": 60, \"maxElapsedSeconds\": 3600}";
    assertEquals("retrying failed 60", failOnce(policy, "NULL", "NULL", "NULL"));
    assertEquals("dead retry-deadline", failOnce(policy, "NULL", "'2 hours'", "NULL"));
    // The first attempt of this generation started 59.5 minutes ago; an earlier generation does not
    // count.
    long id = sql.ready(queue, 1).get(0);
    database.sql(
        "UPDATE jobs SET retry_policy = '%s', generation = 1, attempt = 1, attempt_rows = 2 WHERE id = %d"
            .formatted(policy, id));
    database.sql(
        """
        INSERT INTO attempts (job_id, lease_token, started_at, attempt, outcome, generation)
        VALUES (%1$d, 1, now() - interval '2 days', 1, 'failed', 0),
               (%1$d, 2, now() - interval '58 minutes', 1, 'failed', 1)
        """
            .formatted(id));
    assertEquals("retrying failed 60", failOnce("NULL", "NULL", "NULL"));
    database.sql(
        "UPDATE attempts SET started_at = now() - interval '59.5 minutes' WHERE lease_token = 2");
    database.sql("UPDATE jobs SET state = 'ready', ready_at = now() WHERE id = " + id);
    assertEquals("dead retry-deadline", failOnce("NULL", "NULL", "NULL"));
  }
}
