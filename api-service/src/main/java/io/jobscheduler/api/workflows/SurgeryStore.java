package io.jobscheduler.api.workflows;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * SQL of what people do to a workflow that runs. Each statement is part of the caller's
 * transaction, whose first one is {@link #hold} when it changes anything. Thread-safe.
 */
@ApplicationScoped
class SurgeryStore {
  // The workflow's exclusive lock, then its row: no settle of its members is in flight after it
  // (R__37_surgery.sql).
  private static final String HOLD_WORKFLOW =
      """
      SELECT jobs.hold_workflow(:project, :workflow) AS held
      """;

  /** absent, finished or live. */
  String hold(Handle h, int project, int workflow) {
    return h.createQuery(HOLD_WORKFLOW)
        .bind("project", project)
        .bind("workflow", workflow)
        .mapTo(String.class)
        .one();
  }

  /**
   * How a workflow stands.
   *
   * @param jobs how many members in each state
   */
  record Standing(boolean paused, @Nullable String pauseReason, Map<String, Long> jobs) {}

  private record StateCount(boolean paused, @Nullable String reason, String state, long jobs) {}

  // At most 20,000 members, by the workflow indexes of both tables alone.
  private static final String COUNT_MEMBERS =
      """
      SELECT w.paused_at IS NOT NULL AS paused, w.pause_reason, c.state, c.jobs
        FROM jobs.workflows w
        JOIN jobs.workflow_counts c ON c.workflow_id = w.id
       WHERE w.id = :workflow AND c.workflow_id = :workflow
      """;

  /** How a workflow stands that the caller holds. */
  Standing standing(Handle h, int workflow) {
    List<StateCount> rows =
        h.createQuery(COUNT_MEMBERS)
            .bind("workflow", workflow)
            .map(
                (row, c) ->
                    new StateCount(
                        row.getBoolean("paused"),
                        row.getString("pause_reason"),
                        row.getString("state"),
                        row.getLong("jobs")))
            .list();
    Map<String, Long> jobs = new TreeMap<>();
    rows.forEach(row -> jobs.merge(row.state(), row.jobs(), Long::sum));
    return rows.isEmpty()
        ? new Standing(false, null, jobs)
        : new Standing(rows.get(0).paused(), rows.get(0).reason(), jobs);
  }

  private static final String WORKFLOW_EXISTS =
      """
      SELECT 1 FROM jobs.workflows w WHERE w.id = :workflow AND w.project_id = :project
      """;

  boolean exists(Handle h, int project, int workflow) {
    return h.createQuery(WORKFLOW_EXISTS)
        .bind("project", project)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  // Both job tables by their index of the workflow; a member whose row is gone stays.
  private static final String LIST_MEMBERS =
      """
      SELECT m.job_id, m.key, j.state, j.state_reason, j.join_mode,
             CASE WHEN m.expected_ms IS NOT NULL THEN m.expected_ms / 1000.0
                  WHEN j.gate IS NOT NULL THEN 0
                  WHEN j.state = 'succeeded' AND j.started_at IS NOT NULL
                  THEN extract(epoch FROM j.finished_at - j.started_at)
                  ELSE r.seconds END::double precision AS seconds
        FROM jobs.workflow_members m
        LEFT JOIN (
          SELECT a.id, a.type, a.state, a.state_reason, a.join_mode, a.gate, a.started_at, a.finished_at
            FROM jobs.all_jobs a WHERE a.workflow_id = :workflow) j ON j.id = m.job_id
        LEFT JOIN jobs.type_run_seconds(:project) r ON r.type = j.type
       WHERE m.workflow_id = :workflow
       ORDER BY m.job_id
      """;

  // Edges from jobs that are no members are left out: they do not change here.
  private static final String LIST_EDGES =
      """
      SELECT d.parent_id, d.child_id, d.on_outcome
        FROM jobs.dependencies d
       WHERE d.workflow_id = :workflow
      """;

  // A planner that takes a new workflow for a handful of rows would join it to itself row by row.
  private static final String JOIN_BY_HASH =
      """
      SELECT set_config('enable_nestloop', :setting, true), set_config('enable_seqscan', :setting, true),
             set_config('jit', 'off', true)
      """;

  private static void joinByHash(Handle h, boolean only) {
    h.createQuery(JOIN_BY_HASH).bind("setting", only ? "off" : "on").map((row, c) -> true).one();
  }

  /** The members and edges of a workflow that exists. */
  StoredGraph graph(Handle h, int project, int workflow) {
    joinByHash(h, true);
    StoredGraph graph = read(h, project, workflow);
    joinByHash(h, false);
    return graph;
  }

  private static StoredGraph read(Handle h, int project, int workflow) {
    List<StoredGraph.Member> members =
        h.createQuery(LIST_MEMBERS)
            .bind("project", project)
            .bind("workflow", workflow)
            .map(
                (row, c) ->
                    new StoredGraph.Member(
                        row.getLong("job_id"),
                        row.getString("key"),
                        row.getString("state"),
                        row.getString("state_reason"),
                        row.getString("join_mode"),
                        row.getObject("seconds", Double.class)))
            .list();
    Map<Long, Integer> positions = new HashMap<>();
    for (int i = 0; i < members.size(); i++) {
      positions.put(members.get(i).id(), i);
    }
    List<StoredGraph.Edge> edges = new ArrayList<>();
    h.createQuery(LIST_EDGES)
        .bind("workflow", workflow)
        .map(
            (row, c) -> {
              Integer parent = positions.get(row.getLong("parent_id"));
              Integer child = positions.get(row.getLong("child_id"));
              return parent == null || child == null
                  ? null
                  : new StoredGraph.Edge(parent, child, row.getString("on_outcome"));
            })
        .forEach(
            edge -> {
              if (edge != null) {
                edges.add(edge);
              }
            });
    return new StoredGraph(members, edges);
  }

  private static final String RERUN_MEMBERS =
      """
      SELECT r.id, r.queue_id, r.dispatch_lane, r.dispatch_key
        FROM jobs.rerun_members(:project, :workflow, :ids::bigint[]) r
      """;

  /** Brings ended members back; what became ready. */
  List<ReadyJob> rerun(Handle h, int project, int workflow, Collection<Long> ids) {
    return h.createQuery(RERUN_MEMBERS)
        .bind("project", project)
        .bind("workflow", workflow)
        .bindArray("ids", Long.class, ids.toArray())
        .map(
            (row, c) ->
                new ReadyJob(
                    row.getLong("id"),
                    row.getInt("queue_id"),
                    row.getInt("dispatch_lane"),
                    row.getLong("dispatch_key")))
        .list();
  }

  /** What a function did: its verdict, and what became ready. */
  record Done(String verdict, List<ReadyJob> ready) {}

  private record Row(String verdict, @Nullable ReadyJob ready) {}

  private static final String END_MEMBER =
      """
      SELECT e.verdict, e.id, e.queue_id, e.dispatch_lane, e.dispatch_key
        FROM jobs.end_member(:project, :workflow, :job, :state, :result, :message) e
      """;

  /** Ends a member that waits, as skipped or succeeded: ended, running or absent. */
  Done end(
      Handle h,
      int project,
      int workflow,
      long job,
      String state,
      @Nullable String result,
      String message) {
    return done(
        h.createQuery(END_MEMBER)
            .bind("project", project)
            .bind("workflow", workflow)
            .bind("job", job)
            .bind("state", state)
            .bind("result", result)
            .bind("message", message));
  }

  private static final String RESUME_WORKFLOW =
      """
      SELECT r.held AS verdict, r.id, r.queue_id, r.dispatch_lane, r.dispatch_key
        FROM jobs.resume_workflow(:project, :workflow) r
      """;

  /** Ends a pause: what hold answers. */
  Done resume(Handle h, int project, int workflow) {
    return done(h.createQuery(RESUME_WORKFLOW).bind("project", project).bind("workflow", workflow));
  }

  /** The verdict of the first row; the jobs of those that name a queue. */
  static Done done(Query query) {
    List<Row> rows =
        query
            .map(
                (row, c) ->
                    new Row(
                        row.getString("verdict"),
                        row.getInt("queue_id") == 0
                            ? null
                            : new ReadyJob(
                                row.getLong("id"),
                                row.getInt("queue_id"),
                                row.getInt("dispatch_lane"),
                                row.getLong("dispatch_key"))))
            .list();
    List<ReadyJob> ready = new ArrayList<>();
    for (Row row : rows) {
      ReadyJob job = row.ready();
      if (job != null) {
        ready.add(job);
      }
    }
    return new Done(rows.get(0).verdict(), ready);
  }

  private static final String PAUSE_WORKFLOW =
      """
      SELECT jobs.pause_workflow(:project, :workflow, :by, :reason) AS verdict
      """;

  /** paused, finished or absent. */
  String pause(Handle h, int project, int workflow, String by, @Nullable String reason) {
    return h.createQuery(PAUSE_WORKFLOW)
        .bind("project", project)
        .bind("workflow", workflow)
        .bind("by", by)
        .bind("reason", reason)
        .mapTo(String.class)
        .one();
  }

  /**
   * What a cancel did.
   *
   * @param cancelled how many ended; null: there is no such workflow
   * @param workers of those that run
   */
  record Cancelled(@Nullable Integer cancelled, int requested, List<Long> workers) {}

  private static final String WAS_CANCELLED =
      """
      SELECT 1 FROM jobs.workflows w WHERE w.id = :workflow AND w.cancelled_at IS NOT NULL
      """;

  boolean wasCancelled(Handle h, int workflow) {
    return h.createQuery(WAS_CANCELLED)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  private static final String CANCEL_WORKFLOW =
      """
      SELECT c.cancelled, c.requested, c.workers
        FROM jobs.cancel_workflow(:project, :workflow, :by, :reason) c
      """;

  Cancelled cancel(Handle h, int project, int workflow, String by, @Nullable String reason) {
    return h.createQuery(CANCEL_WORKFLOW)
        .bind("project", project)
        .bind("workflow", workflow)
        .bind("by", by)
        .bind("reason", reason)
        .map(
            (row, c) -> {
              Array workers = row.getArray("workers");
              return new Cancelled(
                  row.getObject("cancelled", Integer.class),
                  row.getInt("requested"),
                  workers == null ? List.of() : List.of((Long[]) workers.getArray()));
            })
        .one();
  }
}
