package io.jobscheduler.api.workflows;

import static io.jobscheduler.api.workflows.WorkflowStore.instant;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * SQL that reads a workflow's graph, whole or what has changed of it.
 *
 * <p>A version costs no write: it is the oldest transaction that was open when the graph was read.
 * Whatever that reading could not see was or will be written by a transaction of that number or a
 * later one, and Postgres keeps the writer's number with each row.
 */
@ApplicationScoped
class GraphStore {
  // Numbers of transactions in rows have 32 bits: half of that, and some way off, can be compared.
  private static final long COMPARABLE = 1_000_000_000L;

  private final Jdbi jdbi;

  GraphStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  private record Head(
      long version, long next, @Nullable Integer levels, @Nullable Integer clusters) {}

  // First, so that all that follows is seen by a snapshot no older than the version's.
  private static final String READ_HEAD =
      """
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS version,
             pg_snapshot_xmax(pg_current_snapshot())::text AS next, w.levels, w.clusters
        FROM jobs.workflows w WHERE w.id = :workflow AND w.project_id = :project
      """;

  /**
   * The graph of a project's workflow.
   *
   * @param since a version that an earlier answer gave: only what has changed since; null: all
   */
  Optional<WorkflowGraph> findGraph(int projectId, int workflow, @Nullable Long since) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(READ_HEAD)
                .bind("project", projectId)
                .bind("workflow", workflow)
                .map(
                    (row, c) ->
                        new Head(
                            row.getLong("version"),
                            row.getLong("next"),
                            row.getObject("levels", Integer.class),
                            row.getObject("clusters", Integer.class)))
                .findOne()
                .map(head -> read(h, workflow, head, since)));
  }

  private static WorkflowGraph read(Handle h, int workflow, Head head, @Nullable Long since) {
    // A version of another database, or one too old to compare: all of it.
    boolean full = since == null || since > head.next() || head.next() - since > COMPARABLE;
    Long from = full ? null : since;
    List<Member> members = members(h, workflow, from);
    Map<Long, String> keys = new HashMap<>();
    members.forEach(m -> keys.put(m.id(), m.node().key()));
    Set<Long> strangers = new LinkedHashSet<>();
    List<WorkflowGraph.Edge> edges = edges(h, workflow, from, keys, strangers);
    List<String> path = new ArrayList<>();
    members.stream()
        .filter(m -> Boolean.TRUE.equals(m.node().critical()) && m.node().level() != null)
        .sorted((a, b) -> Integer.compare(orZero(a.node().level()), orZero(b.node().level())))
        .forEach(m -> path.add(m.node().key()));
    return new WorkflowGraph(
        Long.toString(head.version()),
        full,
        members.stream().filter(Member::changed).map(Member::node).toList(),
        edges,
        outside(h, strangers),
        head.levels(),
        head.clusters(),
        path);
  }

  private static int orZero(@Nullable Integer level) {
    return level == null ? 0 : level;
  }

  private record Member(long id, WorkflowGraph.Node node, boolean changed) {}

  private record JobRow(
      String type,
      String state,
      @Nullable String reason,
      @Nullable String gate,
      @Nullable String join,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt,
      boolean changed) {}

  // By jobs_workflow and finished_jobs_workflow. age() counts transactions back from the newest.
  // Not
  // joined to the members: whatever a planner believes of the sizes, 20,000 rows are read once.
  private static final String LIST_JOBS =
      """
      SELECT j.id, j.type, j.state, j.state_reason, j.gate, j.join_mode, j.started_at, j.finished_at,
             :since::xid8 IS NULL OR age(j.writer) <= age(:since::xid8::xid) AS changed
        FROM (
          SELECT a.id, a.type, a.state, a.state_reason, a.gate, a.join_mode, a.started_at,
                 NULL::timestamptz AS finished_at, a.xmin AS writer
            FROM jobs.jobs a WHERE a.workflow_id = :workflow
          UNION ALL
          SELECT f.id, f.type, f.state, f.state_reason, f.gate, f.join_mode, f.started_at, f.finished_at,
                 f.xmin AS writer
            FROM jobs.finished_jobs f WHERE f.workflow_id = :workflow) j
      """;

  private static Map<Long, JobRow> jobs(Handle h, int workflow, @Nullable Long since) {
    Map<Long, JobRow> jobs = new HashMap<>();
    h.createQuery(LIST_JOBS)
        .bind("workflow", workflow)
        .bind("since", since == null ? null : since.toString())
        .map(
            (row, c) ->
                Map.entry(
                    row.getLong("id"),
                    new JobRow(
                        row.getString("type"),
                        row.getString("state"),
                        row.getString("state_reason"),
                        row.getString("gate"),
                        row.getString("join_mode"),
                        instant(row, "started_at"),
                        instant(row, "finished_at"),
                        row.getBoolean("changed"))))
        .forEach(e -> jobs.put(e.getKey(), e.getValue()));
    return jobs;
  }

  // By primary key.
  private static final String LIST_MEMBERS =
      """
      SELECT m.key, m.job_id, m.level, m.cluster, m.critical, m.expected_ms,
             :since::xid8 IS NULL OR age(m.xmin) <= age(:since::xid8::xid) AS changed
        FROM jobs.workflow_members m
       WHERE m.workflow_id = :workflow
       ORDER BY m.job_id
      """;

  private record MemberRow(
      long id,
      String key,
      @Nullable Integer level,
      @Nullable Integer cluster,
      @Nullable Boolean critical,
      @Nullable Long expectedMillis,
      boolean changed) {
    static MemberRow of(ResultSet row) throws SQLException {
      return new MemberRow(
          row.getLong("job_id"),
          row.getString("key"),
          row.getObject("level", Integer.class),
          row.getObject("cluster", Integer.class),
          row.getObject("critical", Boolean.class),
          row.getObject("expected_ms", Long.class),
          row.getBoolean("changed"));
    }

    /** With its job; a member stays when its job's retention has ended. */
    Member with(@Nullable JobRow job) {
      return new Member(
          id,
          new WorkflowGraph.Node(
              key,
              Long.toString(id),
              job == null ? null : job.type(),
              job == null ? null : job.state(),
              job == null ? null : job.reason(),
              job == null ? null : job.gate(),
              job == null ? null : job.join(),
              level,
              cluster,
              critical,
              expectedMillis == null ? null : Duration.ofMillis(expectedMillis),
              job == null ? null : job.startedAt(),
              job == null ? null : job.finishedAt()),
          changed || job != null && job.changed());
    }
  }

  private static List<Member> members(Handle h, int workflow, @Nullable Long since) {
    // Members first: a job that is added between the two statements comes with the next version.
    List<MemberRow> members =
        h.createQuery(LIST_MEMBERS)
            .bind("workflow", workflow)
            .bind("since", since == null ? null : since.toString())
            .map((row, c) -> MemberRow.of(row))
            .list();
    Map<Long, JobRow> jobs = jobs(h, workflow, since);
    return members.stream().map(m -> m.with(jobs.get(m.id()))).toList();
  }

  // By dependencies_workflow; ids become keys here, which spares two joins over 200,000 rows.
  private static final String LIST_EDGES =
      """
      SELECT d.parent_id, d.child_id, d.on_outcome, d.outcome, d.met
        FROM jobs.dependencies d
       WHERE d.workflow_id = :workflow
         AND (:since::xid8 IS NULL OR age(d.xmin) <= age(:since::xid8::xid))
      """;

  private record EdgeRow(
      long parent, long child, String on, @Nullable String outcome, boolean met) {}

  private static List<WorkflowGraph.Edge> edges(
      Handle h, int workflow, @Nullable Long since, Map<Long, String> keys, Set<Long> strangers) {
    List<WorkflowGraph.Edge> edges = new ArrayList<>();
    h
        .createQuery(LIST_EDGES)
        .bind("workflow", workflow)
        .bind("since", since == null ? null : since.toString())
        .map(
            (row, c) ->
                new EdgeRow(
                    row.getLong("parent_id"),
                    row.getLong("child_id"),
                    row.getString("on_outcome"),
                    row.getString("outcome"),
                    row.getBoolean("met")))
        .stream()
        .sorted(Comparator.comparingLong(EdgeRow::parent).thenComparingLong(EdgeRow::child))
        .forEach(
            e -> {
              String from = keys.get(e.parent());
              String to = keys.get(e.child());
              if (from == null) {
                strangers.add(e.parent());
              }
              // A job that was added since the members were read comes with the next version.
              if (to != null) {
                edges.add(
                    new WorkflowGraph.Edge(
                        from,
                        from == null ? Long.toString(e.parent()) : null,
                        to,
                        e.on(),
                        e.outcome(),
                        e.met()));
              }
            });
    return edges;
  }

  private static final String LIST_OUTSIDE =
      """
      SELECT j.id, j.type, j.state, j.workflow_id, j.workflow_key FROM jobs.all_jobs j WHERE j.id = ANY (:ids)
      """;

  private static List<WorkflowGraph.Outside> outside(Handle h, Set<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    Map<Long, WorkflowGraph.Outside> found = new HashMap<>();
    h.createQuery(LIST_OUTSIDE)
        .bindArray("ids", Long.class, ids.toArray())
        .map(
            (row, c) ->
                new WorkflowGraph.Outside(
                    row.getString("id"),
                    row.getString("type"),
                    row.getString("state"),
                    row.getString("workflow_id"),
                    row.getString("workflow_key")))
        .forEach(o -> found.put(Long.valueOf(o.job()), o));
    return ids.stream()
        .map(
            id ->
                found.getOrDefault(
                    id, new WorkflowGraph.Outside(Long.toString(id), null, null, null, null)))
        .toList();
  }
}
