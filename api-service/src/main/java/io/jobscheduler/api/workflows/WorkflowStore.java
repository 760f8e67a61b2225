package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
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
  private static final List<String> ENDED = List.of("succeeded", "dead", "cancelled", "skipped");

  private final Jdbi jdbi;

  WorkflowStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A workflow of a project. */
  public Optional<Workflow> findWorkflow(int projectId, int workflow) {
    return IndexReads.in(
        jdbi,
        h ->
            read(h, projectId, List.of(workflow)).stream()
                .findFirst()
                .map(w -> w.with(callbacks(h, workflow))));
  }

  // By primary key. The view derives the state of those that have not ended.
  private static final String FIND_WORKFLOWS =
      """
      SELECT w.id, w.name, w.kind, w.state, w.on_failure, w.created_at, w.deadline_at, w.deadline_passed_at,
             w.paused_at, w.paused_by, w.pause_reason, w.planned_at, w.finished_at, w.job_count,
             w.levels, w.clusters, w.critical_path_length
        FROM jobs.workflow_status w
       WHERE w.id = ANY (:workflows) AND w.project_id = :project
      """;

  private record StateCount(int workflow, String state, long count) {}

  // At most 20,000 members each, by the workflow indexes of both tables alone.
  private static final String COUNT_MEMBERS =
      """
      SELECT c.workflow_id, c.state, c.jobs FROM jobs.workflow_counts c WHERE c.workflow_id = ANY (:workflows)
      """;

  /** Those of the ids that the project has, newest first. */
  List<Workflow> read(Handle h, int projectId, List<Integer> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    Map<Integer, Map<String, Long>> counts = new HashMap<>();
    h.createQuery(COUNT_MEMBERS)
        .bindArray("workflows", Integer.class, ids.toArray())
        .map(
            (row, c) ->
                new StateCount(
                    row.getInt("workflow_id"), row.getString("state"), row.getLong("jobs")))
        .forEach(
            s ->
                counts
                    .computeIfAbsent(s.workflow(), w -> new TreeMap<>())
                    .put(s.state(), s.count()));
    return h
        .createQuery(FIND_WORKFLOWS)
        .bindArray("workflows", Integer.class, ids.toArray())
        .bind("project", projectId)
        .map((row, c) -> workflowOf(row, counts.getOrDefault(row.getInt("id"), Map.of())))
        .stream()
        .sorted(
            Comparator.comparing(Workflow::createdAt)
                .thenComparing(w -> Integer.valueOf(w.id()))
                .reversed())
        .toList();
  }

  private static final String LIST_CALLBACKS =
      """
      SELECT c.on_event, c.fired_at, c.job_id FROM jobs.workflow_callbacks c
       WHERE c.workflow_id = :workflow ORDER BY c.on_event
      """;

  private static List<Workflow.Callback> callbacks(Handle h, int workflow) {
    return h.createQuery(LIST_CALLBACKS)
        .bind("workflow", workflow)
        .map(
            (row, c) ->
                new Workflow.Callback(
                    row.getString("on_event"), instant(row, "fired_at"), row.getString("job_id")))
        .list();
  }

  private static Workflow workflowOf(ResultSet row, Map<String, Long> counts) throws SQLException {
    int jobs = row.getInt("job_count");
    long live =
        counts.entrySet().stream()
            .filter(e -> !ENDED.contains(e.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    return new Workflow(
        row.getString("id"),
        row.getString("name"),
        row.getString("kind"),
        row.getString("state"),
        row.getString("on_failure"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row, "deadline_at"),
        instant(row, "deadline_passed_at"),
        instant(row, "paused_at"),
        row.getString("paused_by"),
        row.getString("pause_reason"),
        instant(row, "planned_at"),
        instant(row, "finished_at"),
        counts,
        jobs,
        // What has ended may have been retained no longer: what lives tells.
        jobs == 0 ? 1 : Math.max(0, (double) (jobs - live) / jobs),
        row.getObject("levels", Integer.class),
        row.getObject("clusters", Integer.class),
        row.getObject("critical_path_length", Double.class),
        null);
  }

  static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
