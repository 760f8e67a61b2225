package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random graphs with failures, retries, cancels, pauses, surgery and growth, run by the real
 * functions on several connections, against {@link GraphModel}.
 */
class GraphModelPgTest {
  /**
   * What a last sweep would still have to repair, per row; nothing when the release itself is
   * whole.
   */
  private static final String STRANDED =
      """
      SELECT string_agg(j.workflow_id || '/' || j.workflow_key || ' ' || coalesce(j.state_reason, ''), ', ')
        FROM jobs j
       WHERE j.state = 'blocked'
         AND (edges_verdict(j.id, j.join_mode) = 'met'
              OR (edges_verdict(j.id, j.join_mode) = 'doomed' AND j.state_reason IS DISTINCT FROM 'dependency-failed')
              OR EXISTS (SELECT 1 FROM dependencies d
                          WHERE d.child_id = j.id AND d.outcome IS NULL
                            AND NOT EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id)))
      """;

  /** Starts before a parent's end; of any_success before the first parent's success. */
  private static final String EARLY =
      """
      WITH started AS (
        SELECT f.id, f.join_mode,
               least(f.started_at, (SELECT min(a.started_at) FROM finished_attempts a WHERE a.job_id = f.id)) AS at
          FROM finished_jobs f WHERE f.attempt > 0 AND f.workflow_id = ANY (%1$s)
      )
      SELECT (SELECT count(*) FROM started s
                JOIN dependencies d ON d.child_id = s.id JOIN all_jobs p ON p.id = d.parent_id
               WHERE s.join_mode IS DISTINCT FROM 'any_success' AND s.at < coalesce(p.finished_at, 'infinity'))
           + (SELECT count(*) FROM started s
               WHERE s.join_mode = 'any_success'
                 AND s.at < (SELECT min(CASE WHEN p.state = 'succeeded' THEN p.finished_at
                                             WHEN p.state_reason = 'skipped-by-hand' THEN '-infinity'
                                             ELSE 'infinity' END)
                               FROM dependencies d JOIN all_jobs p ON p.id = d.parent_id WHERE d.child_id = s.id))
      """;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final long seed = Long.getLong("jobs.test.seed", System.nanoTime());
  private Sql sql;
  private int project;
  private int graphs;
  private int deadlocks;

  @BeforeEach
  void project() {
    System.out.println("seed: -Djobs.test.seed=" + seed);
    sql = new Sql(database);
    project = sql.project("acme");
    for (int worker = 1; worker <= 3; worker++) {
      sql.worker(worker);
    }
  }

  @Test
  void randomGraphsEndAsThePlainModelSays() throws Exception {
    run(Integer.getInteger("jobs.test.rounds", 5));
  }

  @Test
  @Tag("long")
  void twoThousandRandomGraphsEndAsThePlainModelSays() throws Exception {
    run(50);
  }

  private void run(int rounds) throws Exception {
    Random random = new Random(seed);
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      batch(random, round, "none");
      batch(random, round, "cancel cancel cancel-all pause");
      batch(random, round, "skip mark pause cancel");
      batch(random, round, "redrive redrive cancel pause grow grow skip");
    }
    System.out.printf(
        "%d graphs, %d deadlocks that were retried, %d ms%n",
        graphs, deadlocks, (System.nanoTime() - start) / 1_000_000);
  }

  /** Ten graphs at once. The kinds of deeds decide how strictly the ends can be foretold. */
  private void batch(Random random, int round, String kinds) throws Exception {
    int queue = sql.queue(project, "q" + graphs, null);
    List<RandomGraph> batch = new ArrayList<>();
    List<GraphRun.Deed> deeds = new ArrayList<>();
    try (Connection owner = database.connect(Role.OWNER)) {
      for (int i = 0; i < 10; i++) {
        RandomGraph graph = new RandomGraph(random);
        graph.store(owner, project, queue);
        batch.add(graph);
      }
    }
    GraphRun run = new GraphRun(database, sql, project, queue, batch);
    List<String> what = List.of(kinds.split(" ", -1));
    for (int i = 0; !kinds.equals("none") && i < 20; i++) {
      RandomGraph graph = batch.get(random.nextInt(batch.size()));
      int node = random.nextInt(graph.nodes.size());
      String deed = what.get(random.nextInt(what.size()));
      deeds.add(new GraphRun.Deed(graph, deed, node));
      for (int n = 0; n < graph.nodes.size(); n++) {
        if (deed.equals("cancel-all") || (n == node && !deed.equals("pause"))) {
          run.touched.get(graph.workflow).add(n);
        }
      }
    }
    // The sweep would hide a release that got lost; who adds an edge to a running parent leaves it
    // to the sweep.
    run.run(random.nextLong(), deeds, round % 2 == 1 || kinds.contains("grow"));
    graphs += batch.size();
    deadlocks += run.deadlocks.get();
    if (run.deadlocks.get() > 0) {
      System.out.println("deadlocks in round " + round + " " + kinds);
    }

    String context = "seed " + seed + " round " + round + " " + kinds;
    assertEquals(null, database.sql(STRANDED), context);
    List<Integer> foretold =
        batch.stream().map(g -> g.workflow).filter(w -> !run.broughtBack.contains(w)).toList();
    assertEquals(
        "0",
        database.sql(EARLY.formatted("ARRAY%s::int[]".formatted(foretold))),
        context + ": jobs that started early");
    for (RandomGraph graph : batch) {
      if (!run.broughtBack.contains(graph.workflow)) {
        assertEquals(
            List.of(),
            GraphModel.violations(graph, ends(graph), run.touched.get(graph.workflow)),
            context + "\n" + graph);
      }
    }
    // Held ones stay: out of the way of the next batch.
    database.sql("DELETE FROM jobs");
  }

  private Map<Integer, GraphModel.End> ends(RandomGraph graph) {
    Map<Integer, GraphModel.End> ends = new HashMap<>();
    String rows =
        database.sql(
            "SELECT string_agg(workflow_key || ' ' || state || ' ' || coalesce(state_reason, 'null'), ',')"
                + " FROM all_jobs WHERE workflow_key LIKE 'n%' AND workflow_id = "
                + graph.workflow);
    for (String row : rows.split(",")) {
      String[] parts = row.split(" ");
      ends.put(
          Integer.valueOf(parts[0].substring(1)),
          new GraphModel.End(parts[1], parts[2].equals("null") ? null : parts[2]));
    }
    return ends;
  }
}
