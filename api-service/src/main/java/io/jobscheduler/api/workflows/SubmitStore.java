package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobColumns;
import io.jobscheduler.api.jobs.JobRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The INSERTs of a workflow, in one transaction. */
@ApplicationScoped
class SubmitStore {
  private final Jdbi jdbi;

  SubmitStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A job as it was stored. */
  record Stored(long id, String key, int queueId, int lane, long dispatchKey, boolean ready) {}

  /** A workflow as it was stored. */
  record Submitted(int id, List<Stored> jobs) {}

  private record Head(int id, long dispatchKey) {}

  /**
   * Stores all or, when a job names a queue that the project does not have, nothing: then empty.
   */
  Optional<Submitted> submit(int projectId, WorkflowRequest request) {
    return jdbi.inTransaction(
        h -> {
          Head head = insertWorkflow(h, projectId, request);
          List<Stored> jobs = insertJobs(h, projectId, head, request);
          if (jobs.size() < request.jobs().size()) {
            h.rollback();
            return Optional.empty();
          }
          insertMembers(h, head.id(), jobs);
          insertDependencies(h, head.id(), request, jobs);
          return Optional.of(new Submitted(head.id(), jobs));
        });
  }

  private static final String INSERT_WORKFLOW =
      """
      INSERT INTO jobs.workflows (project_id, name, on_failure, job_count)
      VALUES (:project, :name, :onFailure, :jobs)
      RETURNING id, jobs.micros(created_at) AS dispatch_key
      """;

  private static Head insertWorkflow(Handle h, int projectId, WorkflowRequest request) {
    return h.createQuery(INSERT_WORKFLOW)
        .bind("project", projectId)
        .bind("name", request.name())
        .bind("onFailure", request.onFailure())
        .bind("jobs", request.jobs().size())
        .map((row, c) -> new Head(row.getInt("id"), row.getLong("dispatch_key")))
        .one();
  }

  // What a project's types have taken of late: the leader's plan reckons with the same.
  private static final String TYPE_RUN_SECONDS =
      """
      SELECT r.type, r.seconds FROM jobs.type_run_seconds(:project) r
      """;

  private static Map<String, Double> typeRunSeconds(Handle h, int projectId) {
    return h.createQuery(TYPE_RUN_SECONDS)
        .bind("project", projectId)
        .reduceRows(
            new HashMap<String, Double>(),
            (seconds, row) -> {
              seconds.put(
                  row.getColumn("type", String.class), row.getColumn("seconds", Double.class));
              return seconds;
            });
  }

  // The workflow's submission less up to 60 s for the rank, as the plan places jobs: an old graph
  // goes before a new one. Roots are ready: nobody sees them before the commit, and then the edges
  // are there. An unknown queue joins nothing; the caller counts the rows.
  private static final String INSERT_JOBS =
      """
      INSERT INTO jobs.jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key,
          ready_at, max_attempts, retry_policy, payload, timeout_ms, start_by, cost, concurrency_key,
          workflow_id, workflow_key, has_dependencies, has_dependents)
      SELECT q.project_id, q.id, u.type,
             CASE WHEN u.waits THEN 'blocked' ELSE 'ready' END,
             u.priority, jobs.ready_lane(u.priority, q.ageing_ms),
             jobs.ready_key(:dispatchKey - (60000000 * u.rank)::bigint, u.priority, q.ageing_ms),
             CASE WHEN u.waits THEN NULL ELSE clock_timestamp() END,
             u.max_attempts, u.retry_policy::json, u.payload::json, u.timeout_ms, u.start_by::timestamptz,
             coalesce(u.cost, 1), u.concurrency_key, :workflow, u.key, u.waits, u.awaited
        FROM unnest(:keys::text[], :types::text[], :queues::text[], :payloads::text[], :priorities::int[],
                    :maxAttempts::int[], :retryPolicies::text[], :timeouts::bigint[], :startBys::text[],
                    :costs::int[], :concurrencyKeys::text[], :waits::boolean[], :awaited::boolean[],
                    :ranks::float8[])
               WITH ORDINALITY
               AS u (key, type, queue, payload, priority, max_attempts, retry_policy, timeout_ms, start_by, cost,
                     concurrency_key, waits, awaited, rank, n)
        JOIN jobs.queues q ON q.project_id = :project AND q.name = u.queue AND q.deleted_at IS NULL
       ORDER BY u.n
      RETURNING id, workflow_key, queue_id, dispatch_lane, dispatch_key, state
      """;

  private static List<Stored> insertJobs(
      Handle h, int projectId, Head head, WorkflowRequest request) {
    List<WorkflowRequest.Member> members = request.jobs();
    Boolean[] waits = new Boolean[members.size()];
    Boolean[] awaited = new Boolean[members.size()];
    Arrays.fill(waits, false);
    Arrays.fill(awaited, false);
    for (WorkflowRequest.Edge edge : request.edges()) {
      waits[edge.child()] = true;
      awaited[edge.parent()] = true;
    }
    List<JobRequest> jobs = members.stream().map(WorkflowRequest.Member::job).toList();
    return JobColumns.bindTo(h.createQuery(INSERT_JOBS), jobs)
        .bind("project", projectId)
        .bind("workflow", head.id())
        .bind("dispatchKey", head.dispatchKey())
        .bindArray(
            "keys", String.class, members.stream().map(WorkflowRequest.Member::key).toArray())
        .bindArray("waits", Boolean.class, (Object[]) waits)
        .bindArray("awaited", Boolean.class, (Object[]) awaited)
        .bindArray(
            "ranks", Double.class, (Object[]) Ranks.of(request, typeRunSeconds(h, projectId)))
        .map(
            (row, c) ->
                new Stored(
                    row.getLong("id"),
                    row.getString("workflow_key"),
                    row.getInt("queue_id"),
                    row.getInt("dispatch_lane"),
                    row.getLong("dispatch_key"),
                    row.getString("state").equals("ready")))
        .list();
  }

  private static final String INSERT_MEMBERS =
      """
      INSERT INTO jobs.workflow_members (workflow_id, job_id, key)
      SELECT :workflow, u.id, u.key FROM unnest(:ids::bigint[], :keys::text[]) AS u (id, key)
      """;

  private static void insertMembers(Handle h, int workflow, List<Stored> jobs) {
    h.createUpdate(INSERT_MEMBERS)
        .bind("workflow", workflow)
        .bindArray("ids", Long.class, jobs.stream().map(Stored::id).toArray())
        .bindArray("keys", String.class, jobs.stream().map(Stored::key).toArray())
        .execute();
  }

  // No parent is locked: all of them are this transaction's own.
  private static final String INSERT_DEPENDENCIES =
      """
      INSERT INTO jobs.dependencies (child_id, parent_id, workflow_id, on_outcome)
      SELECT u.child, u.parent, :workflow, u.condition
        FROM unnest(:children::bigint[], :parents::bigint[], :conditions::text[])
               AS u (child, parent, condition)
      """;

  private static void insertDependencies(
      Handle h, int workflow, WorkflowRequest request, List<Stored> jobs) {
    if (request.edges().isEmpty()) {
      return;
    }
    Map<String, Long> byKey = new HashMap<>();
    jobs.forEach(j -> byKey.put(j.key(), j.id()));
    List<Long> ids = request.jobs().stream().map(m -> byKey.get(m.key())).toList();
    List<WorkflowRequest.Edge> edges = request.edges();
    h.createUpdate(INSERT_DEPENDENCIES)
        .bind("workflow", workflow)
        .bindArray("children", Long.class, edges.stream().map(e -> ids.get(e.child())).toArray())
        .bindArray("parents", Long.class, edges.stream().map(e -> ids.get(e.parent())).toArray())
        .bindArray(
            "conditions", String.class, edges.stream().map(WorkflowRequest.Edge::on).toArray())
        .execute();
  }
}
