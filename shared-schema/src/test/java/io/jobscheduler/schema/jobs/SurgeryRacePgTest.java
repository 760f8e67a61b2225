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
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Surgery, growth, claims, settles, releases and the leader's sweep at once, on a connection each,
 * over random graphs. No job starts while a parent of it lives; nothing starts while its workflow
 * is paused or cancelled; no deadlock is more than a repetition; and in the end nothing is left.
 */
class SurgeryRacePgTest {
  private static final Set<String> AGAIN = Set.of("40P01", "55P03");
  private static final int OPERATIONS = 60;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean kind = new AtomicBoolean();
  private final Set<String> started = ConcurrentHashMap.newKeySet();
  private final AtomicInteger grown = new AtomicInteger();
  private Sql sql;
  private int project;
  private int queue;
  private Flow flow;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
    sql.worker(2);
  }

  @AfterEach
  void end() throws InterruptedException {
    over.set(true);
    threads.shutdown();
    assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS), "a thread does not end");
  }

  @Test
  void nothingStartsEarlyAndNothingIsStranded() throws Exception {
    rounds(4);
  }

  @Test
  @Tag("long")
  void nothingStartsEarlyAndNothingIsStrandedForLong() throws Exception {
    rounds(100);
  }

  private void rounds(int rounds) throws Exception {
    for (int i = 0; i < rounds; i++) {
      long seed = System.nanoTime();
      try {
        round(new Random(seed));
      } catch (AssertionError | Exception e) {
        throw new AssertionError("seed " + seed + ": " + flow.shown() + waiting(), e);
      }
    }
  }

  private String waiting() {
    return " "
        + flow.status()
        + database.sql(
            "SELECT string_agg(concat_ws(' ', '; ' || j.workflow_key, j.state_reason, j.join_mode, p.workflow_key, p.state, p.state_reason, d.on_outcome, d.outcome, d.waived, d.benign), '') FROM jobs j JOIN dependencies d ON d.child_id = j.id LEFT JOIN all_jobs p ON p.id = d.parent_id WHERE j.workflow_id = "
                + flow.id);
  }

  private void round(Random random) throws Exception {
    over.set(false);
    kind.set(false);
    flow = graph(random);
    List<Future<?>> running = new ArrayList<>();
    for (long worker = 1; worker <= 2; worker++) {
      long id = worker;
      long seed = random.nextLong();
      running.add(threads.submit(() -> work(id, new Random(seed))));
    }
    running.add(threads.submit(this::lead));
    long seed = random.nextLong();
    Future<?> surgeon = threads.submit(() -> operate(new Random(seed)));
    surgeon.get(120, TimeUnit.SECONDS);
    over.set(true);
    for (Future<?> thread : running) {
      thread.get(10, TimeUnit.SECONDS);
    }
    assertEquals(
        database.sql("SELECT job_count FROM workflows WHERE id = " + flow.id),
        database.sql("SELECT count(*) FROM finished_jobs WHERE workflow_id = " + flow.id));
  }

  private Flow graph(Random random) {
    Flow made = new Flow(database, sql, project, queue, random.nextBoolean() ? "cancel" : "hold");
    int jobs = 8 + random.nextInt(12);
    String[] on = {"success", "success", "success", "done", "failure"};
    String[] joins = {"all_done", "any_success", "none_failed"};
    for (int i = 0; i < jobs; i++) {
      made.job("k" + i);
      int parents = i == 0 ? 0 : random.nextInt(4);
      boolean joined = parents > 1 && random.nextInt(4) == 0;
      for (int parent : random.ints(parents, 0, Math.max(1, i)).distinct().toArray()) {
        made.edge("k" + parent, "k" + i, joined ? "success" : on[random.nextInt(on.length)]);
      }
      if (joined) {
        made.join("k" + i, joins[random.nextInt(joins.length)]);
      }
    }
    return made;
  }

  /** Runs a statement until it meets nobody. */
  private static List<String> patiently(Connection connection, String call) throws SQLException {
    for (int tries = 1; ; tries++) {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT " + call)) {
        List<String> values = new ArrayList<>();
        while (rows.next()) {
          values.add(rows.getString(1));
        }
        return values;
      } catch (SQLException e) {
        if (tries == 5 || !AGAIN.contains(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  private Void work(long id, Random random) throws Exception {
    try (Connection worker = sql.asWorker();
        Connection owner = database.connect(Role.OWNER)) {
      long number = 0;
      while (!over.get()) {
        worker.setAutoCommit(false);
        List<Sql.Claimed> claimed = sql.claim(worker, id, ++number, queue, 1 + random.nextInt(3));
        // Whoever brings a parent back has to wait for these rows before it commits. A job that ran
        // when that happened goes on, in later attempts too.
        for (Sql.Claimed job : claimed) {
          String seen = patiently(owner, parents(job.id())).get(0);
          String generation = job.id() + " " + seen.substring(0, seen.indexOf(':'));
          if (started.add(generation)) {
            assertEquals("0 0", seen.substring(seen.indexOf(':') + 1), "a parent of it lives");
          } else {
            assertTrue(seen.endsWith(" 0"), "an edge of it is not met");
          }
        }
        worker.commit();
        worker.setAutoCommit(true);
        for (Sql.Claimed job : claimed) {
          settle(worker, id, job, outcome(random));
        }
        patiently(worker, "kind FROM jobs.release_pending(50)");
      }
    }
    return null;
  }

  private static String parents(long id) {
    return "j.generation || ':' || count(p.id) || ' ' || count(*) FILTER (WHERE NOT d.met) FROM jobs.jobs j LEFT JOIN jobs.dependencies d ON d.child_id = j.id AND NOT d.waived LEFT JOIN jobs.jobs p ON p.id = d.parent_id WHERE j.id = %d GROUP BY j.generation"
        .formatted(id);
  }

  private String outcome(Random random) {
    if (kind.get()) {
      return "succeeded";
    }
    int dice = random.nextInt(20);
    return dice < 14 ? "succeeded" : dice < 17 ? "dead" : dice < 19 ? "failed" : "released";
  }

  private void settle(Connection worker, long id, Sql.Claimed job, String outcome)
      throws SQLException {
    Integer[] flows = {flow.id};
    for (int tries = 0; ; tries++) {
      try {
        Sql.Verdict verdict = sql.settle(worker, id, List.of(job), flows, outcome, null).get(0);
        if (!verdict.verdict().equals("busy")) {
          return;
        }
      } catch (SQLException e) {
        if (tries == 1_000 || !AGAIN.contains(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  private Void lead() throws Exception {
    try (Connection leader = database.connect(Role.SCHEDULER);
        Connection owner = database.connect(Role.OWNER)) {
      while (!over.get()) {
        try (Statement statement = owner.createStatement()) {
          statement.execute(
              "UPDATE jobs.jobs SET run_at = now() WHERE id IN (SELECT id FROM jobs.jobs WHERE state"
                  + " = 'retrying' FOR UPDATE SKIP LOCKED)");
        }
        patiently(leader, "id FROM jobs.promote_due(20)");
        patiently(leader, "kind FROM jobs.release_pending(50)");
        patiently(leader, "kind FROM jobs.sweep_blocked(0, 100)");
        patiently(leader, "id FROM jobs.finish_workflows(10)");
      }
    }
    return null;
  }

  private Void operate(Random random) throws Exception {
    try (Connection api = database.connect(Role.API)) {
      for (int i = 0; i < OPERATIONS; i++) {
        operate(api, random);
      }
      kind.set(true);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      resume(api);
      while (!patiently(api, live()).equals(List.of("0"))) {
        assertTrue(System.nanoTime() < deadline, "left for ever");
        if (patiently(api, "state FROM jobs.workflow_status WHERE id = " + flow.id)
            .equals(List.of("held"))) {
          rerun(api, "state IN ('dead', 'cancelled', 'skipped')");
        }
      }
    }
    return null;
  }

  private String live() {
    return "count(*) FROM jobs.jobs WHERE workflow_id = " + flow.id;
  }

  private void operate(Connection api, Random random) throws Exception {
    switch (random.nextInt(9)) {
      case 0 -> rerun(api, "state IN ('dead', 'cancelled', 'skipped')");
      case 1 -> rerun(api, "random() < 0.3");
      case 2 -> endOne(api, random.nextBoolean() ? "skipped" : "succeeded");
      case 3 -> quietly(api, () -> patiently(api, pause()), () -> resume(api));
      case 4 ->
          quietly(
              api,
              () -> random.nextInt(4) == 0 ? patiently(api, cancel()) : List.of(),
              () -> rerun(api, "state = 'cancelled'"));
      case 5 -> grow(api);
      case 6 ->
          patiently(
              api,
              "verdict FROM jobs.redrive_jobs(%d, ARRAY(SELECT id FROM jobs.finished_jobs WHERE workflow_id = %d AND state = 'dead'), '{dead}')"
                  .formatted(project, flow.id));
      case 7 ->
          patiently(
              api,
              "verdict FROM jobs.cancel_jobs(%d, ARRAY(SELECT id FROM jobs.jobs WHERE workflow_id = %d AND random() < 0.1), 'ann', NULL)"
                  .formatted(project, flow.id));
      default -> Thread.yield();
    }
  }

  /** After {@code stop} no lease of the workflow is given until {@code go}. */
  private void quietly(Connection api, Callable<?> stop, Callable<?> go) throws Exception {
    if (!stop.call().equals(List.of())) {
      long before = newest(api);
      for (int i = 0; i < 20; i++) {
        // Less when a lease was given back without a trace.
        assertTrue(newest(api) <= before, "a job started in a workflow that stands");
      }
    }
    go.call();
  }

  /** The largest token of a lease of the workflow. */
  private long newest(Connection api) throws SQLException {
    return Long.parseLong(
        patiently(
                api,
                "coalesce(greatest((SELECT max(lease_token) FROM jobs.all_jobs WHERE workflow_id = %1$d), (SELECT max(a.lease_token) FROM jobs.attempts a JOIN jobs.jobs j ON j.id = a.job_id AND j.workflow_id = %1$d)), 0)"
                    .formatted(flow.id))
            .get(0));
  }

  private String pause() {
    return "v FROM jobs.pause_workflow(%d, %d, 'ann', NULL) v WHERE v = 'paused'"
        .formatted(project, flow.id);
  }

  private List<String> resume(Connection api) throws SQLException {
    return patiently(api, "held FROM jobs.resume_workflow(%d, %d)".formatted(project, flow.id));
  }

  private String cancel() {
    return "cancelled FROM jobs.cancel_workflow(%d, %d, 'ann', NULL)".formatted(project, flow.id);
  }

  private List<String> rerun(Connection api, String which) throws SQLException {
    return patiently(
        api,
        "id FROM jobs.rerun_members(%d, %d, ARRAY(SELECT id FROM jobs.finished_jobs WHERE workflow_id = %2$d AND %s))"
            .formatted(project, flow.id, which));
  }

  private void endOne(Connection api, String state) throws SQLException {
    patiently(
        api,
        "e.verdict FROM (SELECT id FROM jobs.jobs WHERE workflow_id = %2$d ORDER BY random() LIMIT 1) j, jobs.end_member(%1$d, %2$d, j.id, '%3$s', NULL, 'by ann') e"
            .formatted(project, flow.id, state));
  }

  private void grow(Connection api) throws SQLException {
    String key = "n" + grown.incrementAndGet();
    patiently(
        api,
        ("verdict FROM jobs.add_members(%d, %d, '[{\"key\":\"%s\",\"type\":\"t\"}]',"
                + " ARRAY(SELECT key FROM jobs.workflow_members WHERE workflow_id = %2$d ORDER BY"
                + " random() LIMIT 2), NULL, ARRAY['%3$s','%3$s'], '{success,done}')")
            .formatted(project, flow.id, key));
  }
}
