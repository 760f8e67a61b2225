package io.jobscheduler.api.workflows;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
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
   * @param ready its place, if it is ready
   */
  record Row(String verdict, @Nullable String key, @Nullable Long id, @Nullable ReadyJob ready) {}

  // Checks what has to hold under the lock, and does all or nothing (R__39_growth.sql).
  private static final String ADD_MEMBERS =
      """
      SELECT a.verdict, a.key, a.id, a.queue_id, a.dispatch_lane, a.dispatch_key
        FROM jobs.add_members(:project, :workflow, :jobs::json, :parents::text[], :parentIds::bigint[],
                              :children::text[], :conditions::text[]) a
      """;

  List<Row> add(
      Handle h, int project, int workflow, List<WorkflowRequest.Member> members, List<Edge> edges) {
    return h.createQuery(ADD_MEMBERS)
        .bind("project", project)
        .bind("workflow", workflow)
        .bind("jobs", json(members))
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
