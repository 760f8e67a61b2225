package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.workflow.WorkflowGraph.Edge;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The statements of planning: reads in autocommit, one write in a leader transaction. Stateless.
 */
final class PlanStore {

  /** A workflow without a plan. */
  record Unplanned(int id, int projectId) {}

  private PlanStore() {}

  // Oldest first by workflows_unplanned, without those that are being passed over.
  private static final String UNPLANNED_WORKFLOWS =
      """
      SELECT w.id, w.project_id
        FROM jobs.workflows w
       WHERE w.planned_at IS NULL AND w.id <> ALL (?)
       ORDER BY w.id
       LIMIT 20
      """;

  static List<Unplanned> unplannedWorkflows(Connection connection, Collection<Integer> passedOver)
      throws SQLException {
    List<Unplanned> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(UNPLANNED_WORKFLOWS)) {
      statement.setArray(1, connection.createArrayOf("int4", passedOver.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(new Unplanned(rows.getInt("id"), rows.getInt("project_id")));
        }
      }
    }
    return found;
  }

  // One statement, so one snapshot: the graph may grow at any time.
  private static final String PLAN_MEMBERS =
      """
      SELECT m.job_id, m.key, m.seconds, m.parents FROM jobs.plan_members(?) m ORDER BY m.job_id
      """;

  static WorkflowGraph workflowGraph(Connection connection, int workflow)
      throws SQLException, UnplannableException {
    List<Long> jobIds = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(PLAN_MEMBERS)) {
      statement.setInt(1, workflow);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long job = rows.getLong("job_id");
          jobIds.add(job);
          keys.add(rows.getString("key"));
          seconds.add(rows.getDouble("seconds"));
          for (Long parent : (Long[]) rows.getArray("parents").getArray()) {
            edges.add(new Edge(parent, job));
          }
        }
      }
    }
    return WorkflowGraph.of(
        jobIds.stream().mapToLong(Long::longValue).toArray(),
        keys,
        seconds.stream().mapToDouble(Double::doubleValue).toArray(),
        edges);
  }

  // One statement for all of it: a plan is there whole or not. Takes the workflow's lock
  // exclusively, then its blocked rows in id order, as operations on many of its jobs do.
  private static final String APPLY_PLAN =
      """
      SELECT jobs.apply_plan(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  static void applyPlan(
      LeaderTransaction transaction, int workflow, WorkflowGraph graph, WorkflowPlan plan)
      throws SQLException {
    Connection connection = transaction.connection();
    try (PreparedStatement statement = transaction.prepare(APPLY_PLAN)) {
      statement.setInt(1, workflow);
      statement.setArray(2, connection.createArrayOf("int8", boxed(graph.jobIds())));
      statement.setInt(3, graph.graph().edgeCount());
      statement.setArray(4, connection.createArrayOf("int4", boxed(plan.levels())));
      statement.setArray(5, connection.createArrayOf("int4", boxed(plan.clusters())));
      statement.setArray(6, connection.createArrayOf("bool", boxed(plan.critical())));
      statement.setArray(7, connection.createArrayOf("float8", boxed(plan.ranks())));
      statement.setInt(8, plan.levelCount());
      statement.setInt(9, plan.clusterCount());
      statement.setDouble(10, plan.criticalPathLength());
      statement.execute();
    }
  }

  private static Object[] boxed(long[] values) {
    return Arrays.stream(values).boxed().toArray();
  }

  private static Object[] boxed(int[] values) {
    return Arrays.stream(values).boxed().toArray();
  }

  private static Object[] boxed(double[] values) {
    return Arrays.stream(values).boxed().toArray();
  }

  private static Object[] boxed(boolean[] values) {
    return IntStream.range(0, values.length).mapToObj(i -> values[i]).toArray();
  }
}
