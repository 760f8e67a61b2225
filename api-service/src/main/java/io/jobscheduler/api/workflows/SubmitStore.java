package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.Patience;
import io.jobscheduler.api.jobs.ConnectStore;
import io.jobscheduler.api.jobs.JobColumns;
import io.jobscheduler.api.jobs.JobRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The INSERTs of a workflow, in one transaction. */
@ApplicationScoped
class SubmitStore {
  private final Jdbi jdbi;

  SubmitStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A job as it was stored; its place only if it is ready. */
  record Stored(long id, String key, int queueId, int lane, long dispatchKey, boolean ready) {}

  /** A workflow as it was stored. */
  record Submitted(int id, List<Stored> jobs) {}

  /** What came of it: a workflow, or nothing was stored. */
  sealed interface Outcome {}

  /** All of it was stored. */
  record Accepted(Submitted workflow) implements Outcome {}

  /** A queue is named that the project does not have. */
  record UnknownQueue() implements Outcome {}

  /** Jobs are named that the project does not have. */
  record UnknownJobs(Set<Long> ids) implements Outcome {}

  private record Head(int id, long dispatchKey) {}

  /** Stores all or nothing. */
  Outcome submit(int projectId, WorkflowRequest request) {
    return Patience.in(
        jdbi,
        h -> {
          Outcome outcome = insert(h, projectId, request);
          if (!(outcome instanceof Accepted)) {
            Patience.undo(h);
          }
          return outcome;
        });
  }

  private static Outcome insert(Handle h, int projectId, WorkflowRequest request) {
    Head head = insertWorkflow(h, projectId, request);
    List<Stored> jobs = insertJobs(h, projectId, head, request);
    if (jobs.size() < request.jobs().size()
        || !insertCallbacks(h, projectId, head.id(), request.extras().callbacks())) {
      return new UnknownQueue();
    }
    insertMembers(h, head.id(), request, jobs);
    Map<String, Stored> byKey = new HashMap<>();
    jobs.forEach(j -> byKey.put(j.key(), j));
    List<Long> ids =
        request.jobs().stream().map(m -> Objects.requireNonNull(byKey.get(m.key())).id()).toList();
    insertDependencies(h, head.id(), request.edges(), ids);
    return connect(h, projectId, request, ids, new Submitted(head.id(), jobs));
  }

  // The deadline counts from the workflow's own creation.
  private static final String INSERT_WORKFLOW =
      """
      INSERT INTO jobs.workflows (project_id, name, kind, on_failure, job_count, deadline_at)
      VALUES (:project, :name, :kind, :onFailure, :jobs,
              coalesce(:deadlineAt::timestamptz, clock_timestamp() + make_interval(secs => :deadlineIn)))
      RETURNING id, jobs.micros(created_at) AS dispatch_key
      """;

  private static Head insertWorkflow(Handle h, int projectId, WorkflowRequest request) {
    WorkflowRequest.Extras extras = request.extras();
    return h.createQuery(INSERT_WORKFLOW)
        .bind("project", projectId)
        .bind("name", request.name())
        .bind("kind", extras.kind())
        .bind("onFailure", request.onFailure())
        .bind("jobs", request.jobs().size())
        .bind("deadlineAt", extras.deadlineAt() == null ? null : extras.deadlineAt().toString())
        .bind(
            "deadlineIn",
            extras.deadlineIn() == null ? null : Durations.seconds(extras.deadlineIn()))
        .map((row, c) -> new Head(row.getInt("id"), row.getLong("dispatch_key")))
        .one();
  }

  // The workflow's submission less up to 60 s for the rank, as the plan places jobs: an old graph
  // goes
  // before a new one. Roots are ready: nobody sees them before the commit, and then the edges are
  // there. A
  // gate is never ready; one without a parent is decided at the end. An unknown queue joins
  // nothing; the
  // caller counts the rows.
  private static final String INSERT_JOBS =
      """
      INSERT INTO jobs.jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key,
          run_at, ready_at, max_attempts, retry_policy, payload, timeout_ms, start_by, cost, concurrency_key,
          workflow_id, workflow_key, has_dependencies, has_dependents, join_mode, gate, tags, metadata, traceparent)
      SELECT q.project_id, q.id, u.type,
             CASE WHEN u.waits OR u.gate IS NOT NULL THEN 'blocked' ELSE 'ready' END,
             u.priority, jobs.ready_lane(u.priority, q.ageing_ms),
             jobs.ready_key(:dispatchKey - (60000000 * u.rank)::bigint, u.priority, q.ageing_ms), u.run_at::timestamptz,
             CASE WHEN u.waits OR u.gate IS NOT NULL THEN NULL ELSE clock_timestamp() END,
             u.max_attempts, u.retry_policy::json, u.payload::json, u.timeout_ms, u.start_by::timestamptz,
             coalesce(u.cost, 1), u.concurrency_key, :workflow, u.key, u.waits, u.awaited, u.join_mode, u.gate,
             u.tags::text[], u.metadata::json, CASE WHEN u.gate IS NULL THEN :traceparent END
        FROM unnest(:keys::text[], :types::text[], :queues::text[], :payloads::text[], :priorities::int[],
                    :maxAttempts::int[], :retryPolicies::text[], :timeouts::bigint[], :startBys::text[],
                    :costs::int[], :concurrencyKeys::text[], :waits::boolean[], :awaited::boolean[],
                    :runAts::text[], :joins::text[], :gates::text[], :ranks::float8[], :tags::text[],
                    :metadata::text[])
               WITH ORDINALITY
               AS u (key, type, queue, payload, priority, max_attempts, retry_policy, timeout_ms, start_by, cost,
                     concurrency_key, waits, awaited, run_at, join_mode, gate, rank, tags, metadata, n)
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
    request.outside().forEach(edge -> waits[edge.child()] = true);
    List<JobRequest> jobs = members.stream().map(WorkflowRequest.Member::job).toList();
    return JobColumns.bindLabelsTo(JobColumns.bindTo(h.createQuery(INSERT_JOBS), jobs), jobs)
        .bind("project", projectId)
        .bind("workflow", head.id())
        .bind("dispatchKey", head.dispatchKey())
        .bind("traceparent", request.extras().traceparent())
        .bindArray(
            "keys", String.class, members.stream().map(WorkflowRequest.Member::key).toArray())
        .bindArray("waits", Boolean.class, (Object[]) waits)
        .bindArray("awaited", Boolean.class, (Object[]) awaited)
        .bindArray(
            "ranks",
            Double.class,
            (Object[]) Ranks.of(request, MeanRunTimes.of(h, projectId, request.jobs())))
        .bindArray("runAts", String.class, sparse(members, SubmitStore::runAt))
        .bindArray("joins", String.class, sparse(members, m -> m.node().join()))
        .bindArray("gates", String.class, sparse(members, SubmitStore::gate))
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

  private static @Nullable String gate(WorkflowRequest.Member member) {
    Gate gate = member.node().gate();
    return gate == null ? null : gate.kind();
  }

  private static @Nullable String runAt(WorkflowRequest.Member member) {
    Gate gate = member.node().gate();
    return gate == null || gate.until() == null ? null : gate.until().toString();
  }

  /**
   * One value of each member; nothing at all, which unnest fills up with nulls, if none has one.
   */
  private static Object[] sparse(
      List<WorkflowRequest.Member> members,
      Function<WorkflowRequest.Member, @Nullable Object> value) {
    return members.stream().allMatch(m -> value.apply(m) == null)
        ? new Object[0]
        : members.stream().map(value).toArray();
  }

  private static final String INSERT_MEMBERS =
      """
      INSERT INTO jobs.workflow_members (workflow_id, job_id, key, expected_ms)
      SELECT :workflow, u.id, u.key, u.expected
        FROM unnest(:ids::bigint[], :keys::text[], :expected::bigint[]) AS u (id, key, expected)
      """;

  private static void insertMembers(
      Handle h, int workflow, WorkflowRequest request, List<Stored> jobs) {
    h.createUpdate(INSERT_MEMBERS)
        .bind("workflow", workflow)
        .bindArray("ids", Long.class, jobs.stream().map(Stored::id).toArray())
        .bindArray("keys", String.class, jobs.stream().map(Stored::key).toArray())
        .bindArray("expected", Long.class, sparse(request.jobs(), SubmitStore::expectedMillis))
        .execute();
  }

  private static @Nullable Object expectedMillis(WorkflowRequest.Member member) {
    Duration expected = member.node().expected();
    return expected == null ? null : expected.toMillis();
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
      Handle h, int workflow, List<WorkflowRequest.Edge> edges, List<Long> ids) {
    if (edges.isEmpty()) {
      return;
    }
    h.createUpdate(INSERT_DEPENDENCIES)
        .bind("workflow", workflow)
        .bindArray("children", Long.class, edges.stream().map(e -> ids.get(e.child())).toArray())
        .bindArray("parents", Long.class, edges.stream().map(e -> ids.get(e.parent())).toArray())
        .bindArray(
            "conditions", String.class, edges.stream().map(WorkflowRequest.Edge::on).toArray())
        .execute();
  }

  // The queue is added here, by id: a callback fires years later all the same.
  private static final String INSERT_CALLBACKS =
      """
      INSERT INTO jobs.workflow_callbacks (workflow_id, on_event, job)
      SELECT :workflow, u.event, ('{"queueId":' || q.id || ',' || substr(u.job, 2))::json
        FROM unnest(:events::text[], :queues::text[], :jobs::text[]) AS u (event, queue, job)
        JOIN jobs.queues q ON q.project_id = :project AND q.name = u.queue AND q.deleted_at IS NULL
      """;

  /** False if a queue is unknown. */
  private static boolean insertCallbacks(
      Handle h, int projectId, int workflow, List<WorkflowRequest.Callback> callbacks) {
    return callbacks.isEmpty()
        || h.createUpdate(INSERT_CALLBACKS)
                .bind("workflow", workflow)
                .bind("project", projectId)
                .bindArray(
                    "events",
                    String.class,
                    callbacks.stream().map(WorkflowRequest.Callback::event).toArray())
                .bindArray(
                    "queues", String.class, callbacks.stream().map(c -> c.job().queue()).toArray())
                .bindArray(
                    "jobs",
                    String.class,
                    callbacks.stream().map(c -> CallbackJson.write(c.job())).toArray())
                .execute()
            == callbacks.size();
  }

  /** Edges from outside, and gates that nothing holds back: what decides jobs at once. */
  private static Outcome connect(
      Handle h, int projectId, WorkflowRequest request, List<Long> ids, Submitted stored) {
    Set<Integer> held = new HashSet<>();
    request.edges().forEach(e -> held.add(e.child()));
    request.outside().forEach(e -> held.add(e.child()));
    List<Long> gates = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (request.jobs().get(i).node().gate() != null && !held.contains(i)) {
        gates.add(ids.get(i));
      }
    }
    if (gates.isEmpty() && request.outside().isEmpty()) {
      return new Accepted(stored);
    }
    ConnectStore.Connected connected =
        ConnectStore.connect(
            h,
            projectId,
            request.outside().stream()
                .map(
                    e ->
                        new ConnectStore.Edge(
                            ids.get(e.child()), Objects.requireNonNull(e.job()), e.on()))
                .toList(),
            gates);
    if (!connected.unknown().isEmpty()) {
      return new UnknownJobs(connected.unknown());
    }
    List<Stored> jobs = new ArrayList<>(stored.jobs());
    connected
        .ready()
        .forEach(
            r -> jobs.add(new Stored(r.id(), "", r.queueId(), r.lane(), r.dispatchKey(), true)));
    return new Accepted(new Submitted(stored.id(), jobs));
  }
}
