package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Graphs of 10,000: fans out and in, and skips that go wide and deep. Durations are printed, not
 * judged; what must not grow with the graph is counted in pages and in calls.
 */
class WideGraphsPgTest {
  private static final int SIZE = 10_000;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;
  private int flow;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    int project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
    flow =
        sql.number(
            "INSERT INTO workflows (project_id, name, job_count) VALUES (%d, 'w', 0) RETURNING id"
                .formatted(project));
  }

  /** Members n1 to n{count}; {@code state} by i in SQL. */
  private void members(int count, String state) {
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, ready_at,
                          has_dependencies, has_dependents)
        SELECT q.project_id, q.id, 'echo', s.state, %d, 'n' || i, i, clock_timestamp(), s.state = 'blocked', true
          FROM queues q, generate_series(1, %d) AS g (i), LATERAL (SELECT %s AS state) s
         WHERE q.id = %d
         ORDER BY i
        """
            .formatted(flow, count, state, queue));
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key) SELECT workflow_id, id, workflow_key FROM jobs");
  }

  /** Edges between members by number: a query of parent and child. */
  private void edges(String pairs) {
    database.sql(
        """
        INSERT INTO dependencies (child_id, parent_id, workflow_id)
        SELECT m.first + e.child - 1, m.first + e.parent - 1, %d
          FROM (SELECT min(job_id) AS first FROM workflow_members) m, (%s) AS e (parent, child)
        """
            .formatted(flow, pairs));
  }

  private static String fan(int children) {
    return "SELECT 1, i FROM generate_series(2, %1$d + 1) i UNION ALL SELECT i, %1$d + 2 FROM generate_series(2, %1$d + 1) i"
        .formatted(children);
  }

  private int releaseAll() {
    int calls = 0;
    while ("more"
        .equals(database.sql("SELECT kind FROM release_pending(1000) WHERE kind = 'more'"))) {
      calls++;
    }
    return calls;
  }

  private int drain(Connection worker, int batch) throws SQLException {
    int jobs = 0;
    List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, batch);
    while (!claimed.isEmpty()) {
      Integer[] flows = new Integer[claimed.size()];
      Arrays.fill(flows, flow);
      sql.settle(worker, 1, claimed, flows, "succeeded", null);
      jobs += claimed.size();
      claimed = sql.claim(worker, 1, 1, queue, batch);
    }
    return jobs;
  }

  private static long millis(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  /** C101: 1 root, 10,000 children, 1 join. */
  @Test
  void tenThousandFanOutAndInAgain() throws SQLException {
    sql.ready(queue, SIZE);
    try (Connection worker = sql.asWorker()) {
      long start = System.nanoTime();
      drain(worker, 40);
      long independent = millis(start);

      members(SIZE + 2, "CASE WHEN i = 1 THEN 'ready' ELSE 'blocked' END");
      edges(fan(SIZE));
      start = System.nanoTime();
      assertEquals(1, drain(worker, 40));
      releaseAll();
      long fanOut = millis(start);
      assertEquals(
          Integer.toString(SIZE), database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
      start = System.nanoTime();
      assertEquals(SIZE + 1, drain(worker, 40), "the join runs once, after all of them");
      System.out.printf(
          "10,000 independent jobs %d ms; fan-out %d ms, fan-in of 10,000 and its join %d ms%n",
          independent, fanOut, millis(start));
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    assertEquals(
        "1",
        database.sql(
            "SELECT attempt FROM finished_jobs WHERE workflow_key = 'n%d'".formatted(SIZE + 2)));
  }

  /** Symptom: each end of one of 10,000 parents read the edges of all that had ended before. */
  @Test
  void whatAnEndCostsDoesNotGrowWithTheParentsThatEndedBefore() throws SQLException {
    members(SIZE + 1, "CASE WHEN i = %d + 1 THEN 'blocked' ELSE 'ready' END".formatted(SIZE));
    edges("SELECT i, %1$d + 1 FROM generate_series(1, %1$d) i".formatted(SIZE));
    database.sql(
        "UPDATE dependencies SET outcome = 'succeeded' WHERE parent_id <> (SELECT max(parent_id) FROM dependencies)");
    for (String join : List.of("null", "'all_done'", "'none_failed'")) {
      assertTrue(
          pages("edges_verdict((SELECT max(id) FROM jobs), %s)".formatted(join)) < 50,
          "pages read for a join " + join);
    }
  }

  /** Pages that an expression reads, at its second evaluation: dead entries are marked by then. */
  private int pages(String expression) throws SQLException {
    int read = 0;
    try (Connection owner = database.connect(Role.OWNER);
        var statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs; SET enable_seqscan = off");
      for (int i = 0; i < 2; i++) {
        try (ResultSet row =
            statement.executeQuery(
                "EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) SELECT " + expression)) {
          row.next();
          String plan = row.getString(1);
          int at = plan.indexOf("\"Shared Hit Blocks\": ") + 21;
          read = Integer.parseInt(plan.substring(at, plan.indexOf(',', at)));
        }
      }
    }
    return read;
  }

  /** One round trip per level, before. */
  @Test
  void aFailureGoesDownAChainManyLevelsACall() throws SQLException {
    skipChain(2_000);
  }

  @Test
  @Tag("long")
  void aFailureGoesDownAChainOfTenThousand() throws SQLException {
    skipChain(SIZE);
  }

  private void skipChain(int length) throws SQLException {
    members(length, "CASE WHEN i = 1 THEN 'ready' ELSE 'blocked' END");
    edges("SELECT i, i + 1 FROM generate_series(1, %d) i".formatted(length - 1));
    try (Connection worker = sql.asWorker()) {
      fail(worker);
      long start = System.nanoTime();
      database.sql("SELECT count(*) FROM release_pending(1000)");
      long skipped =
          Long.parseLong(
              database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'skipped'"));
      assertTrue(skipped > 2, "levels in one call: " + skipped);
      int calls = 1 + releaseAll();
      System.out.printf("skip of a chain of %d: %d calls, %d ms%n", length, calls, millis(start));
    }
    assertEquals(
        Integer.toString(length - 1),
        database.sql(
            "SELECT count(*) FROM finished_jobs WHERE state_reason = 'dependency-failed'"));
    assertEquals("0", database.sql("SELECT count(*) FROM pending_releases"));
  }

  @Test
  void aFailureGoesThroughTenThousandChildrenToTheirJoin() throws SQLException {
    members(SIZE + 2, "CASE WHEN i = 1 THEN 'ready' ELSE 'blocked' END");
    edges(fan(SIZE));
    try (Connection worker = sql.asWorker()) {
      fail(worker);
      long start = System.nanoTime();
      int calls = releaseAll();
      System.out.printf(
          "skip of 10,000 children and their join: %d calls, %d ms%n", calls, millis(start));
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    assertEquals("0", database.sql("SELECT count(*) FROM dependencies WHERE outcome IS NULL"));
  }

  private void fail(Connection worker) throws SQLException {
    sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), new Integer[] {flow}, "dead", null);
  }
}
