package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What keeps a job waiting is said as the claim would have it. */
class ExplainPgTest {
  private static final int STATES = 500;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;

  @BeforeEach
  void project() {
    sql = new Sql(database);
    project = sql.project("acme");
    sql.worker(1);
  }

  private static String oneOf(Random random, String... values) {
    return values[random.nextInt(values.length)];
  }

  private static int number(Statement owner, String statement) throws SQLException {
    try (ResultSet row = owner.executeQuery(statement)) {
      row.next();
      return row.getInt(1);
    }
  }

  /** A queue with limits, a pause, a bucket and jobs that run, all by chance. */
  private int queue(Statement owner, Random random, int n) throws SQLException {
    // A bucket that fills so slowly that no token comes while the test looks.
    String rate = oneOf(random, "NULL,NULL,NULL", "NULL,NULL,NULL", "1,86400000,9");
    int queue =
        number(
            owner,
            """
            INSERT INTO queues (project_id, name, max_concurrency, per_key_concurrency, rate_limit, rate_period_ms,
                                rate_burst, paused_at, ageing_ms)
            VALUES (%d, 'q%d', %s, %s, %s, %s, %s) RETURNING id
            """
                .formatted(
                    project,
                    n,
                    oneOf(random, "NULL", "NULL", "0", "2", "5", "9"),
                    oneOf(random, "NULL", "NULL", "1", "2"),
                    rate,
                    random.nextInt(12) == 0 ? "now()" : "NULL",
                    oneOf(random, "NULL", "NULL", "60000")));
    if (rate.startsWith("1") && random.nextInt(4) > 0) {
      owner.execute(
          "INSERT INTO rate_buckets (queue_id, tokens) VALUES (%d, %d.5)"
              .formatted(queue, random.nextInt(9)));
    }
    return queue;
  }

  /** Up to 14 jobs in any state, some that wait for others, some of a workflow, some with a key. */
  private void jobs(Statement owner, Random random, int queue) throws SQLException {
    int workflow =
        number(
            owner,
            """
            INSERT INTO workflows (project_id, name, job_count, paused_at)
            VALUES (%d, 'w', 1, %s) RETURNING id
            """
                .formatted(project, oneOf(random, "now()", "NULL")));
    StringBuilder values = new StringBuilder();
    int count = 1 + random.nextInt(14);
    for (int i = 0; i < count; i++) {
      String state =
          oneOf(
              random,
              "ready",
              "ready",
              "ready",
              "ready",
              "running",
              "scheduled",
              "blocked",
              "retrying");
      String gate = state.equals("blocked") ? oneOf(random, "NULL", "NULL", "'signal'") : "NULL";
      boolean due = state.equals("scheduled") || state.equals("retrying");
      values.append(i == 0 ? "" : ",");
      values.append(
          "(%d, %d, 'echo', '%s', %d, %d, %s, %s, %s, %s, %s, %s, %s, %s)"
              .formatted(
                  project,
                  queue,
                  state,
                  random.nextInt(3) + 3,
                  random.nextInt(6),
                  due ? "now() + interval '%d s'".formatted(random.nextInt(60) - 20) : "NULL",
                  state.equals("running") ? "nextval('lease_token_seq'), 1" : "NULL, NULL",
                  random.nextBoolean() ? "NULL" : oneOf(random, "'a'", "'b'"),
                  random.nextInt(4) == 0,
                  gate,
                  state.equals("blocked") ? "'workflow-paused'" : "NULL",
                  state.equals("ready") || random.nextBoolean() ? "NULL" : workflow,
                  random.nextInt(3) + 1));
    }
    owner.execute(
        """
        WITH made AS (
          INSERT INTO jobs (project_id, queue_id, type, state, dispatch_lane, dispatch_key, run_at, lease_token,
                            worker_id, concurrency_key, has_dependencies, gate, state_reason, workflow_id, cost)
          VALUES %s RETURNING id, has_dependencies)
        INSERT INTO dependencies (child_id, parent_id, on_outcome, outcome)
        SELECT made.id, 1000000 + made.id, o.condition, nullif(o.outcome, '')
          FROM made CROSS JOIN LATERAL (
            SELECT (ARRAY['success', 'done', 'failure'])[1 + made.id %% 3] AS condition,
                   (ARRAY['', 'succeeded', 'dead', 'cancelled', 'skipped'])[1 + made.id %% 5] AS outcome) o
         WHERE made.has_dependencies
        """
            .formatted(values));
  }

  /** The jobs without a blocker; adds the codes of the others. */
  private List<Long> explain(Statement owner, int queue, Set<String> codes) throws SQLException {
    List<Long> free = new ArrayList<>();
    try (ResultSet rows =
        owner.executeQuery(
            """
            SELECT j.id, e.blockers FROM jobs j CROSS JOIN LATERAL explain_job(%d, j.id) e
             WHERE j.queue_id = %d AND e.state <> 'running' ORDER BY j.id
            """
                .formatted(project, queue))) {
      while (rows.next()) {
        String[] blockers = (String[]) rows.getArray(2).getArray();
        codes.addAll(List.of(blockers));
        if (blockers.length == 0) {
          free.add(rows.getLong(1));
        }
      }
    }
    return free;
  }

  /**
   * Of 500 states by chance, with every kind of blocker: the jobs without one are those that the
   * next claim takes.
   */
  @Test
  void namesNoBlockerExactlyOfTheJobsThatTheNextClaimTakes() throws SQLException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Set<String> codes = new TreeSet<>();
    int taken = 0;
    // One session each, so that functions are planned once.
    try (Connection worker = sql.asWorker();
        Connection session = database.connect(Role.OWNER);
        Statement owner = session.createStatement()) {
      owner.execute("SET search_path = jobs");
      for (int n = 0; n < STATES; n++) {
        int queue = queue(owner, random, n);
        jobs(owner, random, queue);
        List<Long> expected = explain(owner, queue, codes);
        List<Long> claimed = new ArrayList<>();
        sql.claim(worker, 1, n, queue, 100).forEach(j -> claimed.add(j.id()));
        assertEquals(expected, claimed.stream().sorted().toList(), "state " + n + ", seed " + seed);
        taken += claimed.size();
      }
    }
    assertTrue(taken > STATES / 2, "the states are worth something: " + taken);
    assertEquals(
        Set.of(
            "dependencies",
            "gate",
            "key_limit",
            "not_due",
            "queue_limit",
            "queue_paused",
            "rate_limit",
            "releasing",
            "retry_wait",
            "workflow_paused"),
        codes,
        "every blocker was tried");
  }

  @Test
  void tellsHowManyComeFirstAndWhenItMayStart() {
    int queue = sql.queue(project, "q", 1);
    List<Long> jobs = sql.ready(queue, 3);
    List<Long> urgent = sql.ready(queue, 9, 2);
    assertEquals("0 {}", explain(urgent.get(0), "before || ' ' || blockers::text"));
    assertEquals("4 {queue_limit}", explain(jobs.get(2), "before || ' ' || blockers::text"));
    assertEquals("t", explain(urgent.get(0), "estimated_at BETWEEN now() AND clock_timestamp()"));
    assertEquals(null, explain(jobs.get(2), "estimated_at"));
    database.sql(
        """
        INSERT INTO job_statistics (project_id, span, starts_at, queue_id, type, succeeded, dead, cancelled, skipped,
                                    expired, failed_attempts, lost_attempts, wait_histogram, run_histogram)
        VALUES (%d, 60, date_trunc('minute', now()), %d, 'echo', 80, 10, 5, 0, 0, 0, 0, '{}', '{}')
        """
            .formatted(project, queue));
    // 90 in 15 minutes: one each 10 s.
    assertEquals(
        "50", explain(jobs.get(2), "round(extract(epoch FROM estimated_at - clock_timestamp()))"));
  }

  @Test
  void tellsWhenTheBucketHoldsATokenForIt() {
    int queue = sql.queue(project, "q", null);
    database.sql(
        "UPDATE queues SET rate_limit = 1, rate_period_ms = 10000, rate_burst = 5 WHERE id = "
            + queue);
    database.sql("INSERT INTO rate_buckets (queue_id, tokens) VALUES (%d, 1)".formatted(queue));
    List<Long> jobs = sql.ready(queue, 4);
    assertEquals("{}", explain(jobs.get(0), "blockers"));
    assertEquals("{rate_limit}", explain(jobs.get(3), "blockers"));
    assertEquals(
        "30", explain(jobs.get(3), "round(extract(epoch FROM token_at - clock_timestamp()))"));
  }

  @Test
  void saysNothingOfOtherProjectsJobsAndLittleOfThoseThatEnded() {
    int queue = sql.queue(project, "q", 0);
    long job = sql.ready(queue, 1).get(0);
    int other = sql.project("other");
    assertEquals(
        "0", database.sql("SELECT count(*) FROM explain_job(%d, %d)".formatted(other, job)));
    database.sql("SELECT cancel_jobs(%d, ARRAY[%d]::bigint[], 'me', NULL)".formatted(project, job));
    assertEquals("cancelled {}", explain(job, "state || ' ' || blockers::text"));
  }

  @Test
  void servesAsAWorkersPatternsSay() {
    assertEquals(
        "t f t f t",
        database.sql(
            """
            SELECT concat_ws(' ', serves('{a/b}', 'a', 'b'), serves('{a/b}', 'a', 'bc'), serves('{x/y,*/m-*}', 'a', 'm-1'),
                             serves('{a_/b}', 'ab', 'b'), serves('{*/*}', 'q', 'r'))
            """));
  }

  private String explain(long job, String what) {
    return database.sql("SELECT %s FROM explain_job(%d, %d)".formatted(what, project, job));
  }
}
