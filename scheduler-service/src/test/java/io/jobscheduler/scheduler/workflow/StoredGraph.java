package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A task graph handed in as jobs, in a project and queue of its own.
 *
 * @param workflow null when the jobs depend on each other outside of any workflow
 * @param jobs ids of the tasks, ascending
 */
record StoredGraph(int project, int queue, Integer workflow, List<Long> jobs) {

  /** By which order the jobs of a graph are to be claimed. */
  enum Order {
    /** As each became ready: jobs of no workflow. */
    FIRST_COME,
    /** As they were handed in: a workflow that nobody plans. */
    UNPLANNED,
    /** Planned by the mean that each type took before. */
    MEASURED,
    /** Planned by the time that each job is given. */
    EXPECTED;

    boolean planned() {
      return this == MEASURED || this == EXPECTED;
    }
  }

  /** Stores a graph as the API does: roots are ready, the rest waits. */
  static StoredGraph submit(TestDatabase database, TaskGraph graph, Order order)
      throws SQLException {
    try (Connection owner = database.connect(Role.OWNER)) {
      owner.createStatement().execute("SET search_path = jobs");
      int project =
          number(
              owner, "INSERT INTO projects (name) VALUES ('p' || gen_random_uuid()) RETURNING id");
      int queue =
          number(
              owner, "INSERT INTO queues (project_id, name) VALUES (?, 'q') RETURNING id", project);
      if (order == Order.MEASURED) {
        remember(owner, project, queue, graph);
      }
      Integer workflow =
          order == Order.FIRST_COME
              ? null
              : number(
                  owner,
                  "INSERT INTO workflows (project_id, name, job_count, planned_at)"
                      + " VALUES (?, 'w', ?, CASE WHEN ? THEN NULL ELSE now() END) RETURNING id",
                  project,
                  graph.size(),
                  order.planned());
      List<Long> jobs = insertJobs(owner, project, queue, workflow, graph);
      insertEdges(owner, workflow, graph, jobs);
      if (workflow != null) {
        insertMembers(owner, workflow, graph, jobs, order == Order.EXPECTED);
      }
      if (order.planned()) {
        rank(owner, workflow);
      }
      return new StoredGraph(project, queue, workflow, jobs);
    }
  }

  private static List<Long> insertJobs(
      Connection owner, int project, int queue, Integer workflow, TaskGraph graph)
      throws SQLException {
    boolean[] awaited = new boolean[graph.size()];
    graph.parents().forEach(of -> of.forEach(parent -> awaited[parent] = true));
    List<Long> jobs = new ArrayList<>();
    try (PreparedStatement insert =
        owner.prepareStatement(
            "INSERT INTO jobs (project_id, queue_id, workflow_id, workflow_key, type, state, ready_at,"
                + " dispatch_key, has_dependencies, has_dependents)"
                + " SELECT ?, ?, w.id, 'n' || u.n, u.type, CASE WHEN u.waits THEN 'blocked' ELSE 'ready'"
                + " END, CASE WHEN u.waits THEN NULL ELSE now() END,"
                + " coalesce(micros(w.created_at), micros(now()) + u.n), u.waits, u.awaited"
                + " FROM unnest(?::text[], ?::boolean[], ?::boolean[]) WITH ORDINALITY"
                + " AS u (type, waits, awaited, n) LEFT JOIN workflows w ON w.id = ?"
                + " ORDER BY u.n RETURNING id")) {
      insert.setInt(1, project);
      insert.setInt(2, queue);
      insert.setArray(3, owner.createArrayOf("text", graph.types().toArray()));
      insert.setArray(
          4,
          owner.createArrayOf("bool", graph.parents().stream().map(of -> !of.isEmpty()).toArray()));
      insert.setArray(
          5,
          owner.createArrayOf(
              "bool", IntStream.range(0, graph.size()).mapToObj(i -> awaited[i]).toArray()));
      insert.setObject(6, workflow, java.sql.Types.INTEGER);
      try (ResultSet rows = insert.executeQuery()) {
        while (rows.next()) {
          jobs.add(rows.getLong(1));
        }
      }
    }
    Collections.sort(jobs);
    return jobs;
  }

  private static void insertEdges(
      Connection owner, Integer workflow, TaskGraph graph, List<Long> jobs) throws SQLException {
    List<Long> children = new ArrayList<>();
    List<Long> parents = new ArrayList<>();
    for (int task = 0; task < graph.size(); task++) {
      for (int parent : graph.parents().get(task)) {
        children.add(jobs.get(task));
        parents.add(jobs.get(parent));
      }
    }
    try (PreparedStatement insert =
        owner.prepareStatement(
            "INSERT INTO dependencies (child_id, parent_id, workflow_id)"
                + " SELECT u.child, u.parent, ? FROM unnest(?::bigint[], ?::bigint[]) AS u (child, parent)")) {
      insert.setObject(1, workflow, java.sql.Types.INTEGER);
      insert.setArray(2, owner.createArrayOf("int8", children.toArray()));
      insert.setArray(3, owner.createArrayOf("int8", parents.toArray()));
      insert.executeUpdate();
    }
  }

  private static void insertMembers(
      Connection owner, int workflow, TaskGraph graph, List<Long> jobs, boolean expected)
      throws SQLException {
    try (PreparedStatement insert =
        owner.prepareStatement(
            "INSERT INTO workflow_members (workflow_id, job_id, key, expected_ms)"
                + " SELECT ?, u.id, 'n' || u.n, CASE WHEN ? THEN round(u.seconds * 1000) END"
                + " FROM unnest(?::bigint[], ?::float8[]) WITH ORDINALITY AS u (id, seconds, n)")) {
      insert.setInt(1, workflow);
      insert.setBoolean(2, expected);
      insert.setArray(3, owner.createArrayOf("int8", jobs.toArray()));
      insert.setArray(
          4, owner.createArrayOf("float8", Arrays.stream(graph.seconds()).boxed().toArray()));
      insert.executeUpdate();
    }
  }

  /** Gives each job the place that a submission gives it, before anybody claims. */
  private static void rank(Connection owner, int workflow) throws SQLException {
    WorkflowGraph stored;
    WorkflowPlan plan;
    try {
      stored = PlanStore.workflowGraph(owner, workflow);
      plan = WorkflowPlan.of(stored);
    } catch (UnplannableException e) {
      throw new AssertionError(e);
    }
    try (PreparedStatement update =
        owner.prepareStatement(
            "UPDATE jobs j SET dispatch_key = j.dispatch_key - (60000000 * u.rank)::bigint"
                + " FROM unnest(?::bigint[], ?::float8[]) AS u (id, rank) WHERE j.id = u.id")) {
      update.setArray(
          1, owner.createArrayOf("int8", Arrays.stream(stored.jobIds()).boxed().toArray()));
      update.setArray(
          2, owner.createArrayOf("float8", Arrays.stream(plan.ranks()).boxed().toArray()));
      update.executeUpdate();
    }
  }

  /** Lets the project remember one run of the graph, as its statistics do. */
  private static void remember(Connection owner, int project, int queue, TaskGraph graph)
      throws SQLException {
    try (PreparedStatement insert =
        owner.prepareStatement(
            "INSERT INTO finished_jobs (id, lease_token, worker_id, created_at, ready_at, started_at,"
                + " finished_at, retain_until, project_id, queue_id, attempt, max_attempts,"
                + " attempt_rows, returned, priority, has_dependencies, has_dependents, state, type)"
                + " SELECT nextval('job_id_seq'), 1, 1, e.at, e.at,"
                + " e.at - make_interval(secs => u.seconds), e.at, 'infinity', ?, ?, 1, 1, 0, 0, 4,"
                + " false, false, 'succeeded', u.type"
                + " FROM (SELECT date_trunc('minute', now()) - interval '1 second') AS e (at),"
                + " unnest(?::text[], ?::float8[]) AS u (type, seconds)")) {
      insert.setInt(1, project);
      insert.setInt(2, queue);
      insert.setArray(3, owner.createArrayOf("text", graph.types().toArray()));
      insert.setArray(
          4, owner.createArrayOf("float8", Arrays.stream(graph.seconds()).boxed().toArray()));
      insert.executeUpdate();
    }
    number(
        owner,
        "SELECT add_statistics(min(f.finished_at), max(f.finished_at) + interval '0.5 seconds')"
            + " FROM finished_jobs f WHERE f.project_id = ?",
        project);
    owner.createStatement().execute("DELETE FROM finished_jobs WHERE retain_until = 'infinity'");
  }

  private static int number(Connection owner, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = owner.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
