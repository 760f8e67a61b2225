package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that reads workflows. */
@ApplicationScoped
public class WorkflowStore {
  private final Jdbi jdbi;

  WorkflowStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // By workflows_project, backwards. The view derives the state of those that still run.
  private static final String LIST_WORKFLOWS =
      """
      SELECT w.id, w.name, w.state, w.on_failure, w.created_at, w.planned_at, w.finished_at, w.job_count,
             w.levels, w.clusters, w.critical_path_length
        FROM jobs.workflow_status w
       WHERE w.project_id = :project AND w.id < :before
       ORDER BY w.id DESC
       LIMIT :limit
      """;

  List<Workflow> listWorkflows(int projectId, long before, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            complete(
                h,
                h.createQuery(LIST_WORKFLOWS)
                    .bind("project", projectId)
                    .bind("before", before)
                    .bind("limit", limit)
                    .map((row, c) -> rowOf(row))
                    .list()));
  }

  private static final String FIND_WORKFLOW =
      """
      SELECT w.id, w.name, w.state, w.on_failure, w.created_at, w.planned_at, w.finished_at, w.job_count,
             w.levels, w.clusters, w.critical_path_length
        FROM jobs.workflow_status w
       WHERE w.id = :workflow AND w.project_id = :project
      """;

  /** A workflow of a project. */
  public Optional<Workflow> findWorkflow(int projectId, int workflow) {
    return IndexReads.in(
        jdbi,
        h ->
            complete(
                    h,
                    h.createQuery(FIND_WORKFLOW)
                        .bind("project", projectId)
                        .bind("workflow", workflow)
                        .map((row, c) -> rowOf(row))
                        .list())
                .stream()
                .findFirst());
  }

  private static final String COUNT_WORKFLOWS =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.workflows w WHERE w.project_id = :project LIMIT :most) counted
      """;

  Count countWorkflows(int projectId) {
    return IndexReads.in(
        jdbi,
        h ->
            Count.of(
                h.createQuery(COUNT_WORKFLOWS)
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  private record StateCount(int workflow, String state, long count) {}

  // At most 20,000 members each, by the workflow indexes of both tables.
  private static final String COUNT_MEMBERS =
      """
      SELECT j.workflow_id, j.state, count(*) AS n
        FROM jobs.all_jobs j
       WHERE j.workflow_id = ANY (:workflows)
       GROUP BY j.workflow_id, j.state
      """;

  private static List<Workflow> complete(Handle h, List<Row> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    Map<Integer, Map<String, Long>> counts = new HashMap<>();
    h.createQuery(COUNT_MEMBERS)
        .bindArray("workflows", Integer.class, rows.stream().map(Row::id).toArray())
        .map(
            (row, c) ->
                new StateCount(row.getInt("workflow_id"), row.getString("state"), row.getLong("n")))
        .forEach(
            s ->
                counts
                    .computeIfAbsent(s.workflow(), w -> new TreeMap<>())
                    .put(s.state(), s.count()));
    return rows.stream().map(r -> r.with(counts.getOrDefault(r.id(), Map.of()))).toList();
  }

  // A member stays when its job's retention has ended: outer join.
  private static final String LIST_NODES =
      """
      SELECT m.key, m.job_id, j.type, j.state, m.level, m.cluster, m.critical, j.started_at, j.finished_at
        FROM jobs.workflow_members m
        LEFT JOIN (
          SELECT a.id, a.type, a.state, a.started_at, a.finished_at FROM jobs.all_jobs a
           WHERE a.workflow_id = :workflow) j ON j.id = m.job_id
       WHERE m.workflow_id = :workflow
       ORDER BY m.job_id
      """;

  private static final String LIST_EDGES =
      """
      SELECT p.key AS parent, c.key AS child, d.on_outcome
        FROM jobs.dependencies d
        JOIN jobs.workflow_members p ON p.workflow_id = :workflow AND p.job_id = d.parent_id
        JOIN jobs.workflow_members c ON c.workflow_id = :workflow AND c.job_id = d.child_id
       WHERE d.workflow_id = :workflow
       ORDER BY d.parent_id, d.child_id
      """;

  private static final String WORKFLOW_EXISTS =
      """
      SELECT 1 FROM jobs.workflows w WHERE w.id = :workflow AND w.project_id = :project
      """;

  Optional<WorkflowGraph> findGraph(int projectId, int workflow) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(WORKFLOW_EXISTS)
                .bind("project", projectId)
                .bind("workflow", workflow)
                .mapTo(Integer.class)
                .findOne()
                .map(found -> new WorkflowGraph(nodes(h, workflow), edges(h, workflow))));
  }

  private static List<WorkflowGraph.Node> nodes(Handle h, int workflow) {
    return h.createQuery(LIST_NODES)
        .bind("workflow", workflow)
        .map(
            (row, c) ->
                new WorkflowGraph.Node(
                    row.getString("key"),
                    row.getString("job_id"),
                    row.getString("type"),
                    row.getString("state"),
                    row.getObject("level", Integer.class),
                    row.getObject("cluster", Integer.class),
                    row.getObject("critical", Boolean.class),
                    instant(row, "started_at"),
                    instant(row, "finished_at")))
        .list();
  }

  private static List<WorkflowGraph.Edge> edges(Handle h, int workflow) {
    return h.createQuery(LIST_EDGES)
        .bind("workflow", workflow)
        .map(
            (row, c) ->
                new WorkflowGraph.Edge(
                    row.getString("parent"), row.getString("child"), row.getString("on_outcome")))
        .list();
  }

  private record Row(
      int id,
      String name,
      String state,
      String onFailure,
      Instant createdAt,
      @Nullable Instant plannedAt,
      @Nullable Instant finishedAt,
      int jobs,
      @Nullable Integer levels,
      @Nullable Integer clusters,
      @Nullable Double criticalPathLength) {
    Workflow with(Map<String, Long> counts) {
      return new Workflow(
          Integer.toString(id),
          name,
          state,
          onFailure,
          createdAt,
          plannedAt,
          finishedAt,
          counts,
          jobs,
          levels,
          clusters,
          criticalPathLength);
    }
  }

  private static Row rowOf(ResultSet row) throws SQLException {
    return new Row(
        row.getInt("id"),
        row.getString("name"),
        row.getString("state"),
        row.getString("on_failure"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row, "planned_at"),
        instant(row, "finished_at"),
        row.getInt("job_count"),
        row.getObject("levels", Integer.class),
        row.getObject("clusters", Integer.class),
        row.getObject("critical_path_length", Double.class));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
