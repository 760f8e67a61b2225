package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The INSERT of jobs. */
@ApplicationScoped
public class EnqueueStore {
  private static final double NANOS = 1e9;
  private static final Object[] NONE = {};

  private final Jdbi jdbi;

  EnqueueStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A job as it was stored.
   *
   * @param queuePolicy the retry policy of its queue; null if it has none or several were stored
   * @param queueTimeoutMillis the timeout of its queue; likewise
   */
  record Enqueued(
      long id,
      String state,
      int queueId,
      int lane,
      long dispatchKey,
      Instant createdAt,
      @Nullable Instant runAt,
      @Nullable Instant readyAt,
      @Nullable String queuePolicy,
      @Nullable Long queueTimeoutMillis) {
    /** The same once its dependencies have decided it; {@code ready} is its place if it is. */
    Enqueued as(String newState, @Nullable Instant at, ConnectStore.@Nullable Ready ready) {
      return new Enqueued(
          id,
          newState,
          queueId,
          ready == null ? lane : ready.lane(),
          ready == null ? dispatchKey : ready.dispatchKey(),
          createdAt,
          runAt,
          at,
          queuePolicy,
          queueTimeoutMillis);
    }
  }

  // All jobs in one statement, so one commit, and all or nothing. The clock is read once, in a
  // MATERIALIZED CTE: state, key and ready time of a job agree. An unknown queue joins nothing; the
  // caller sees it in the number of rows. ORDER BY gives ids in the order of the request. What the
  // queue
  // adds is looked up for a job alone: it is only answered, and a bulk request is not.
  private static final String ENQUEUE_JOBS =
      """
      WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at), given AS (
        SELECT u.n, u.type, u.queue, u.payload, u.priority, u.max_attempts, u.retry_policy, u.timeout_ms,
               u.start_by, u.cost, u.concurrency_key, u.tags, u.metadata, u.traceparent, u.id, u.unique_key,
               u.unique_until, coalesce(u.waits, false) AS waits,
               coalesce(u.run_at::timestamptz, c.at + make_interval(secs => u.delay)) AS run_at, c.at
          FROM unnest(:types::text[], :queues::text[], :payloads::text[], :priorities::int[], :runAts::text[],
                      :delays::float8[], :maxAttempts::int[], :retryPolicies::text[], :timeouts::bigint[],
                      :startBys::text[], :costs::int[], :concurrencyKeys::text[], :tags::text[], :metadata::text[],
                      :traceparents::text[], :ids::bigint[], :uniqueKeys::text[], :uniqueUntils::text[],
                      :waits::boolean[])
                 WITH ORDINALITY
                 AS u (type, queue, payload, priority, run_at, delay, max_attempts, retry_policy, timeout_ms,
                       start_by, cost, concurrency_key, tags, metadata, traceparent, id, unique_key, unique_until,
                       waits, n)
         CROSS JOIN clock c)
      INSERT INTO jobs.jobs (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key,
          run_at, ready_at, max_attempts, retry_policy, payload, timeout_ms, start_by, cost, concurrency_key,
          tags, metadata, traceparent, unique_key, unique_until, has_dependencies)
      SELECT coalesce(g.id, nextval('jobs.job_id_seq')), q.project_id, q.id, g.type,
             CASE WHEN g.waits THEN 'blocked' WHEN g.run_at > g.at THEN 'scheduled' ELSE 'ready' END,
             g.priority, jobs.ready_lane(g.priority, q.ageing_ms),
             jobs.ready_key(jobs.micros(greatest(g.run_at, g.at)), g.priority, q.ageing_ms),
             g.run_at,
             CASE WHEN g.waits OR g.run_at > g.at THEN NULL ELSE g.at END,
             g.max_attempts, g.retry_policy::json, g.payload::json, g.timeout_ms, g.start_by::timestamptz,
             coalesce(g.cost, 1), g.concurrency_key, g.tags::text[], g.metadata::json, g.traceparent,
             g.unique_key, g.unique_until, g.waits
        FROM given g
        JOIN jobs.queues q ON q.project_id = :project AND q.name = g.queue AND q.deleted_at IS NULL
                          AND (q.max_depth IS NULL OR :admitted)
       ORDER BY g.n
      RETURNING id, state, queue_id, dispatch_lane, dispatch_key, created_at, run_at, ready_at,
             CASE WHEN :alone THEN (SELECT q.retry_policy::text FROM jobs.queues q WHERE q.id = queue_id) END
               AS queue_policy,
             CASE WHEN :alone THEN (SELECT q.timeout_ms FROM jobs.queues q WHERE q.id = queue_id) END
               AS queue_timeout_ms
      """;

  /**
   * Stores all jobs, or none and is empty when one names a queue that the project does not have, or
   * one of bounded depth. None of them asks for a unique key, or waits for another.
   */
  Optional<List<Enqueued>> enqueueJobs(int projectId, List<JobRequest> jobs) {
    if (jobs.size() == 1) {
      // One row or none: nothing to take back, so no transaction around it.
      return jdbi.withHandle(h -> complete(insert(h, projectId, jobs, NONE, false), jobs));
    }
    return jdbi.inTransaction(
        h -> {
          Optional<List<Enqueued>> stored = complete(insert(h, projectId, jobs, NONE, false), jobs);
          if (stored.isEmpty()) {
            h.rollback();
          }
          return stored;
        });
  }

  private static Optional<List<Enqueued>> complete(List<Enqueued> rows, List<JobRequest> jobs) {
    return rows.size() == jobs.size() ? Optional.of(rows) : Optional.empty();
  }

  /**
   * Inserts jobs inside the caller's transaction.
   *
   * @param ids the ids of all of them, or none: then they get some, in order
   * @param admitted whether there is room for them in queues of bounded depth
   */
  List<Enqueued> insert(
      Handle h, int projectId, List<JobRequest> jobs, Object[] ids, boolean admitted) {
    Query query = JobColumns.bindTo(h.createQuery(ENQUEUE_JOBS), jobs);
    return JobColumns.bindExtrasTo(query, jobs)
        .bind("project", projectId)
        .bind("admitted", admitted)
        .bindArray("ids", Long.class, ids)
        .bindArray(
            "uniqueKeys",
            String.class,
            JobColumns.rare(jobs, j -> j.unique() == null ? null : j.unique().key()))
        .bindArray(
            "uniqueUntils",
            String.class,
            JobColumns.rare(jobs, j -> j.unique() == null ? null : j.unique().until().label()))
        .bindArray(
            "waits", Boolean.class, JobColumns.rare(jobs, j -> j.needs().isEmpty() ? null : true))
        .bind("alone", jobs.size() == 1)
        .bindArray("runAts", String.class, JobColumns.column(jobs, j -> JobColumns.text(j.runAt())))
        .bindArray("delays", Double.class, JobColumns.column(jobs, EnqueueStore::delaySeconds))
        .map(
            (row, c) ->
                new Enqueued(
                    row.getLong("id"),
                    row.getString("state"),
                    row.getInt("queue_id"),
                    row.getInt("dispatch_lane"),
                    row.getLong("dispatch_key"),
                    row.getObject("created_at", OffsetDateTime.class).toInstant(),
                    instant(row.getObject("run_at", OffsetDateTime.class)),
                    instant(row.getObject("ready_at", OffsetDateTime.class)),
                    row.getString("queue_policy"),
                    row.getObject("queue_timeout_ms", Long.class)))
        .list();
  }

  private static @Nullable Double delaySeconds(JobRequest job) {
    return job.delay() == null ? null : job.delay().getSeconds() + job.delay().getNano() / NANOS;
  }

  static @Nullable Instant instant(@Nullable OffsetDateTime at) {
    return at == null ? null : at.toInstant();
  }

  private static final String KNOWN_QUEUES =
      """
      SELECT q.name, q.max_depth IS NOT NULL AS bounded FROM jobs.queues q
       WHERE q.project_id = :project AND q.name = ANY (:names) AND q.deleted_at IS NULL
      """;

  /** Those of {@code names} that the project has. */
  public Set<String> knownQueues(int projectId, Set<String> names) {
    return jdbi.withHandle(h -> boundedOf(h, projectId, names).keySet());
  }

  /** Those of {@code names} that the project has, and whether their depth is bounded. */
  Map<String, Boolean> boundedOf(Handle h, int projectId, Set<String> names) {
    return h.createQuery(KNOWN_QUEUES)
        .bind("project", projectId)
        .bindArray("names", String.class, names.toArray())
        .map((row, c) -> Map.entry(row.getString("name"), row.getBoolean("bounded")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static final String FIND_QUEUE_ID =
      """
      SELECT q.id FROM jobs.queues q WHERE q.project_id = :project AND q.name = :name
      """;

  Optional<Integer> findQueueId(Handle h, int projectId, String name) {
    return h.createQuery(FIND_QUEUE_ID)
        .bind("project", projectId)
        .bind("name", name)
        .mapTo(Integer.class)
        .findOne();
  }
}
