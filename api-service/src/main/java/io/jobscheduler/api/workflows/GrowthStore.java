package io.jobscheduler.api.workflows;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** SQL that adds jobs to a workflow, part of a transaction that holds it. Thread-safe. */
@ApplicationScoped
class GrowthStore {
  /**
   * An edge to add.
   *
   * @param parent a key; null when the parent is named by id
   */
  record Edge(@Nullable String parent, @Nullable Long parentId, String child, String on) {}

  /**
   * What came of it: one row per job added, or one verdict that says why nothing was.
   *
   * @param key the job that was added; else the one that stands in the way
   * @param id of that job; of the verdict condition-differs the edge's number, from 1
   * @param ready its place, if it is ready
   */
  record Row(String verdict, @Nullable String key, @Nullable Long id, @Nullable ReadyJob ready) {}

  // AdvisoryLocks.EDGES, before the workflow's: whoever looks whether an edge closes a cycle
  // through
  // other workflows sees every edge that was added before. The timeout is read when the wait
  // begins.
  private static final String HOLD_EDGES =
      """
      SELECT set_config('lock_timeout', '2s', true), pg_advisory_xact_lock(8, 0)
      """;

  /** Until the transaction ends nobody else makes a job wait that exists already. */
  void holdEdges(Handle h) {
    h.createQuery(HOLD_EDGES).map((row, c) -> true).one();
  }

  /** That the job {@code child} waits for {@code parent}. */
  record Link(long parent, long child) {}

  // Upwards through live jobs, not on from members: what those wait for inside is known. OFFSET 0:
  // a probe of the primary key for each, or a plan might hash the edges of all jobs.
  private static final String LIST_EDGES_ABOVE =
      """
      WITH RECURSIVE above AS (
        SELECT d.parent_id, d.child_id
          FROM jobs.dependencies d
         WHERE d.workflow_id = :workflow AND d.outcome IS NULL
           AND NOT EXISTS (SELECT 1 FROM jobs.workflow_members m
                            WHERE m.workflow_id = :workflow AND m.job_id = d.parent_id)
        UNION
        SELECT d.parent_id, d.child_id
          FROM unnest(:parents::bigint[]) AS u (id)
          JOIN jobs.jobs j ON j.id = u.id AND j.project_id = :project
          JOIN jobs.dependencies d ON d.child_id = j.id AND d.outcome IS NULL
        UNION
        SELECT e.parent_id, e.child_id
          FROM above a
         CROSS JOIN LATERAL (
           SELECT d.parent_id, d.child_id
             FROM jobs.dependencies d
            WHERE d.child_id = a.parent_id AND d.outcome IS NULL OFFSET 0) e
         WHERE NOT EXISTS (SELECT 1 FROM jobs.workflow_members m
                            WHERE m.workflow_id = :workflow AND m.job_id = a.parent_id)
      )
      SELECT a.parent_id, a.child_id FROM above a
      """;

  /**
   * What the workflow's members and these jobs of the project, no members, wait for outside of it:
   * every edge that is still open, up to jobs that wait for nothing, or to members.
   */
  List<Link> edgesAbove(Handle h, int project, int workflow, Collection<Long> parents) {
    return h.createQuery(LIST_EDGES_ABOVE)
        .bind("project", project)
        .bind("workflow", workflow)
        .bindArray("parents", Long.class, parents.toArray())
        .map((row, c) -> new Link(row.getLong("parent_id"), row.getLong("child_id")))
        .list();
  }

  // Checks what has to hold under the lock, and does all or nothing (R__39_growth.sql).
  private static final String ADD_MEMBERS =
      """
      SELECT a.verdict, a.key, a.id, a.queue_id, a.dispatch_lane, a.dispatch_key
        FROM jobs.add_members(:project, :workflow, :jobs::json, :parents::text[], :parentIds::bigint[],
                              :children::text[], :conditions::text[], :traceparent) a
      """;

  List<Row> add(
      Handle h,
      int project,
      int workflow,
      List<WorkflowRequest.Member> members,
      List<Edge> edges,
      @Nullable String traceparent) {
    return h.createQuery(ADD_MEMBERS)
        .bind("project", project)
        .bind("workflow", workflow)
        .bind("jobs", json(members))
        .bind("traceparent", traceparent)
        .bindArray("parents", String.class, edges.stream().map(Edge::parent).toArray())
        .bindArray("parentIds", Long.class, edges.stream().map(Edge::parentId).toArray())
        .bindArray("children", String.class, edges.stream().map(Edge::child).toArray())
        .bindArray("conditions", String.class, edges.stream().map(Edge::on).toArray())
        .map(
            (row, c) ->
                new Row(
                    row.getString("verdict"),
                    row.getString("key"),
                    row.getObject("id", Long.class),
                    row.getInt("queue_id") == 0
                        ? null
                        : new ReadyJob(
                            row.getLong("id"),
                            row.getInt("queue_id"),
                            row.getInt("dispatch_lane"),
                            row.getLong("dispatch_key"))))
        .list();
  }

  private static String json(List<WorkflowRequest.Member> members) {
    List<String> jobs = new ArrayList<>();
    members.forEach(member -> jobs.add(CallbackJson.writeMember(member)));
    return "[" + String.join(",", jobs) + "]";
  }
}
