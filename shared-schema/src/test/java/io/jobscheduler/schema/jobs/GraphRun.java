package io.jobscheduler.schema.jobs;

import io.jobscheduler.schema.jobs.RandomGraph.Node;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs stored graphs by the functions that the services call, on several connections at once:
 * workers that claim, settle and release, a leader, and somebody who interferes.
 */
final class GraphRun {
  private static final int WORKERS = 3;

  /** Somebody's deed on a graph: done while it runs, or after. */
  record Deed(RandomGraph graph, String what, int node) {}

  final Map<Integer, Set<Integer>> touched = new HashMap<>();
  final Set<Integer> broughtBack = Collections.synchronizedSet(new HashSet<>());
  final AtomicInteger deadlocks = new AtomicInteger();
  private final TestDatabase database;
  private final Sql sql;
  private final int project;
  private final int queue;
  private final Map<Long, Node> plans = new HashMap<>();
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicBoolean interfering = new AtomicBoolean(true);

  GraphRun(TestDatabase database, Sql sql, int project, int queue, List<RandomGraph> graphs) {
    this.database = database;
    this.sql = sql;
    this.project = project;
    this.queue = queue;
    for (RandomGraph graph : graphs) {
      touched.put(graph.workflow, new HashSet<>());
      for (int i = 0; i < graph.nodes.size(); i++) {
        plans.put(graph.ids.get(i), graph.nodes.get(i));
      }
    }
  }

  /** Until nothing moves any more; {@code sweep}: whether the backstop runs as well. */
  void run(long seed, List<Deed> deeds, boolean sweep) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS + 2);
    try {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int worker = 1; worker <= WORKERS; worker++) {
        long id = worker;
        running.add(async(threads, () -> work(id, new Random(seed + id))));
      }
      running.add(async(threads, () -> lead(sweep)));
      running.add(async(threads, () -> interfere(deeds)));
      for (CompletableFuture<Void> one : running) {
        one.get(180, TimeUnit.SECONDS);
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
      threads.awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private CompletableFuture<Void> async(ExecutorService threads, Step step) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            step.run();
          } catch (Exception e) {
            done.set(true);
            throw new IllegalStateException(e);
          }
        },
        threads);
  }

  private void work(long worker, Random random) throws SQLException {
    try (Connection connection = database.connect(Role.WORKER)) {
      for (int claim = 1; !done.get(); claim++) {
        List<Sql.Claimed> claimed =
            sql.claim(connection, worker, claim, queue, 1 + random.nextInt(6));
        if (!claimed.isEmpty()) {
          settle(connection, worker, claimed, random);
          again(() -> call(connection, "SELECT count(*) FROM jobs.release_pending(50)"));
        }
      }
    }
  }

  private void settle(Connection connection, long worker, List<Sql.Claimed> claimed, Random random)
      throws SQLException {
    List<Sql.Claimed> open = new ArrayList<>(claimed);
    Map<Long, String> outcomes = new HashMap<>();
    for (Sql.Claimed job : claimed) {
      Node plan = plans.get(job.id());
      boolean released = random.nextInt(20) == 0;
      outcomes.put(
          job.id(),
          released
              ? "released"
              : plan == null
                  ? "succeeded"
                  : job.attempt() <= plan.failures()
                      ? "failed"
                      : plan.dies() ? "dead" : "succeeded");
    }
    while (!open.isEmpty() && !done.get()) {
      List<Long> busy = new ArrayList<>();
      again(() -> settleOnce(connection, worker, open, outcomes, busy));
      open.removeIf(job -> !busy.contains(job.id()));
    }
  }

  private static void settleOnce(
      Connection connection,
      long worker,
      List<Sql.Claimed> jobs,
      Map<Long, String> outcomes,
      List<Long> busy)
      throws SQLException {
    busy.clear();
    String flows =
        "SELECT array_agg(h.workflow_id ORDER BY u.n) FROM unnest(?::bigint[]) WITH ORDINALITY u (id, n) LEFT JOIN jobs.held_by(?) h ON h.id = u.id";
    try (PreparedStatement flow = connection.prepareStatement(flows);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT id, verdict FROM jobs.settle(?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, NULL, ?, NULL)")) {
      Object ids = connection.createArrayOf("bigint", jobs.stream().map(Sql.Claimed::id).toArray());
      flow.setArray(1, (java.sql.Array) ids);
      flow.setLong(2, worker);
      statement.setLong(1, worker);
      statement.setArray(2, (java.sql.Array) ids);
      statement.setArray(
          3, connection.createArrayOf("bigint", jobs.stream().map(Sql.Claimed::token).toArray()));
      try (ResultSet row = flow.executeQuery()) {
        row.next();
        statement.setArray(4, row.getArray(1));
      }
      statement.setArray(
          5,
          connection.createArrayOf(
              "text", jobs.stream().map(job -> outcomes.get(job.id())).toArray()));
      statement.setArray(
          6,
          connection.createArrayOf(
              "interval",
              jobs.stream()
                  .map(job -> outcomes.get(job.id()).equals("failed") ? "1 millisecond" : null)
                  .toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getString(2).equals("busy")) {
            busy.add(rows.getLong(1));
          }
        }
      }
    }
  }

  private void lead(boolean sweep) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    try (Connection leader = database.connect(Role.SCHEDULER)) {
      int quiet = 0;
      while (!done.get()) {
        again(() -> call(leader, "SELECT count(*) FROM jobs.promote_due(100)"));
        again(() -> call(leader, "SELECT count(*) FROM jobs.release_pending(100)"));
        if (sweep) {
          again(() -> call(leader, "SELECT count(*) FROM jobs.sweep_blocked(0, 10000)"));
        }
        again(() -> call(leader, "SELECT count(*) FROM jobs.finish_workflows(100)"));
        // Twice: what one look released may have been held back by a lock.
        quiet = !interfering.get() && isQuiet() ? quiet + 1 : 0;
        if (quiet == 3) {
          done.set(true);
        } else if (System.nanoTime() > deadline) {
          throw new AssertionError("still moving: " + database.sql(LIVE));
        }
      }
    }
  }

  private static final String LIVE =
      "SELECT string_agg(state || ' ' || coalesce(state_reason, '') || ' ' || id, ', ') FROM jobs";

  private boolean isQuiet() {
    return "0"
        .equals(
            database.sql(
                "SELECT (SELECT count(*) FROM jobs WHERE state <> 'blocked' OR state_reason = 'workflow-paused')"
                    + " + (SELECT count(*) FROM pending_releases)"));
  }

  private void interfere(List<Deed> deeds) throws SQLException {
    try (Connection somebody = database.connect(Role.API)) {
      for (Deed deed : deeds) {
        if (done.get()) {
          return;
        }
        again(() -> does(somebody, deed));
      }
    } finally {
      interfering.set(false);
    }
  }

  private void does(Connection somebody, Deed deed) throws SQLException {
    RandomGraph graph = deed.graph();
    long job = graph.ids.get(deed.node());
    switch (deed.what()) {
      case "cancel" ->
          call(
              somebody,
              "SELECT jobs.cancel_jobs(%d, ARRAY[%d], 'ann', 'x')".formatted(project, job));
      case "cancel-all" ->
          call(
              somebody,
              "SELECT jobs.cancel_workflow(%d, %d, 'ann', 'x')".formatted(project, graph.workflow));
      case "skip", "mark" ->
          call(
              somebody,
              "SELECT jobs.end_member(%d, %d, %d, '%s', NULL, 'x')"
                  .formatted(
                      project,
                      graph.workflow,
                      job,
                      deed.what().equals("skip") ? "skipped" : "succeeded"));
      case "pause" -> {
        call(
            somebody,
            "SELECT jobs.pause_workflow(%d, %d, 'ann', 'x')".formatted(project, graph.workflow));
        again(
            () ->
                call(
                    somebody,
                    "SELECT jobs.resume_workflow(%d, %d)".formatted(project, graph.workflow)));
      }
      case "redrive" -> {
        broughtBack.add(graph.workflow);
        call(
            somebody,
            "SELECT jobs.redrive_jobs(%d, ARRAY[%d]::bigint[], '{dead,cancelled,skipped,succeeded}')"
                .formatted(project, job));
      }
      case "grow" ->
          call(
              somebody,
              "SELECT jobs.add_members(%d, %d, '[{\"key\":\"g%d\",\"type\":\"echo\"}]', '{n%d}', '{null}', '{g%d}', '{success}')"
                  .formatted(project, graph.workflow, deed.node(), deed.node(), deed.node()));
      default -> throw new IllegalArgumentException(deed.what());
    }
  }

  private interface Call {
    void run() throws SQLException;
  }

  /** As every service does: after a deadlock or a lock's time-out nothing has happened. */
  private void again(Call call) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        call.run();
        return;
      } catch (SQLException e) {
        if ("40P01".equals(e.getSQLState())) {
          deadlocks.incrementAndGet();
          System.out.println("deadlock: " + e.getMessage());
        } else if (!"55P03".equals(e.getSQLState()) || tries > 20) {
          throw e;
        }
      }
    }
  }

  private static void call(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(query);
    }
  }
}
