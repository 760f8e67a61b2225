package io.jobscheduler.schema.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random workflow: its nodes in an order in which parents come first, and what their jobs do. */
final class RandomGraph {
  /** A parent by its number, and the end that is asked of it. */
  record Edge(int parent, String on) {}

  /**
   * One node.
   *
   * @param join null: by the edges
   * @param gate null: a job
   * @param failures attempts that fail before the one that decides
   * @param dies whether that one ends it dead
   */
  record Node(List<Edge> edges, String join, String gate, int failures, boolean dies) {}

  final List<Node> nodes = new ArrayList<>();
  final boolean hold;
  final List<Long> ids = new ArrayList<>();
  int workflow;

  RandomGraph(Random random) {
    hold = random.nextInt(4) == 0;
    int size = 2 + random.nextInt(10);
    for (int i = 0; i < size; i++) {
      nodes.add(node(random, i));
    }
  }

  private static Node node(Random random, int number) {
    String join =
        random.nextInt(4) > 0
            ? null
            : List.of("all_done", "any_success", "none_failed").get(random.nextInt(3));
    List<Edge> edges = new ArrayList<>();
    for (int parent = Math.max(0, number - 6); parent < number; parent++) {
      if (random.nextInt(5) < 2) {
        edges.add(new Edge(parent, join == null ? condition(random) : "success"));
      }
    }
    String gate = random.nextInt(8) == 0 ? (random.nextBoolean() ? "join" : "time") : null;
    int failures = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0;
    return new Node(edges, edges.isEmpty() ? null : join, gate, failures, random.nextInt(6) == 0);
  }

  private static String condition(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> "done";
      case 1 -> "failure";
      default -> "success";
    };
  }

  /** Stores it in one transaction, as a submission does. */
  void store(Connection owner, int project, int queue) throws SQLException {
    owner.setAutoCommit(false);
    try (var statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
      workflow =
          (int)
              number(
                  statement,
                  "INSERT INTO workflows (project_id, name, on_failure, job_count) VALUES (%d, 'w', '%s', %d) RETURNING id"
                      .formatted(project, hold ? "hold" : "cancel", nodes.size()));
    }
    boolean[] isParent = new boolean[nodes.size()];
    nodes.forEach(node -> node.edges().forEach(edge -> isParent[edge.parent()] = true));
    try (PreparedStatement job =
            owner.prepareStatement(
                """
                INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, ready_at,
                    has_dependencies, has_dependents, join_mode, gate, payload)
                VALUES (?, ?, 'echo', ?, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?, '{"waitMs": 1}') RETURNING id
                """);
        PreparedStatement member =
            owner.prepareStatement(
                "INSERT INTO workflow_members (workflow_id, job_id, key) VALUES (?, ?, ?)");
        PreparedStatement edge =
            owner.prepareStatement(
                "INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome) VALUES (?, ?, ?, ?)")) {
      for (int i = 0; i < nodes.size(); i++) {
        Node node = nodes.get(i);
        boolean waits = !node.edges().isEmpty() || node.gate() != null;
        job.setInt(1, project);
        job.setInt(2, queue);
        job.setString(3, waits ? "blocked" : "ready");
        job.setInt(4, workflow);
        job.setString(5, "n" + i);
        job.setLong(6, i);
        job.setBoolean(7, !node.edges().isEmpty());
        job.setBoolean(8, isParent[i]);
        job.setString(9, node.join());
        job.setString(10, node.gate());
        try (ResultSet row = job.executeQuery()) {
          row.next();
          ids.add(row.getLong(1));
        }
        member.setInt(1, workflow);
        member.setLong(2, ids.get(i));
        member.setString(3, "n" + i);
        member.addBatch();
        for (Edge to : node.edges()) {
          edge.setLong(1, ids.get(i));
          edge.setLong(2, ids.get(to.parent()));
          edge.setInt(3, workflow);
          edge.setString(4, to.on());
          edge.addBatch();
        }
      }
      member.executeBatch();
      edge.executeBatch();
    }
    try (PreparedStatement release =
        owner.prepareStatement("SELECT count(*) FROM release_waiting(?, ?)")) {
      release.setInt(1, project);
      release.setArray(2, owner.createArrayOf("bigint", ids.toArray()));
      release.executeQuery().close();
    }
    owner.commit();
    owner.setAutoCommit(true);
  }

  private static long number(java.sql.Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(hold ? "hold" : "cancel");
    for (int i = 0; i < nodes.size(); i++) {
      text.append("\n  n").append(i).append(' ').append(nodes.get(i));
    }
    return text.toString();
  }
}
