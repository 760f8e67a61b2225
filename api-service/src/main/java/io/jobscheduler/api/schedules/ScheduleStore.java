package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** SQL that reads schedules. */
@ApplicationScoped
class ScheduleStore {
  private final Jdbi jdbi;

  ScheduleStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // By the unique key (project_id, name). What a filter passes over is bounded by the project's
  // schedules.
  private static final String LIST_SCHEDULES =
      """
      SELECT s.id, s.name, s.description, s.created_at, s.updated_at, s.expression, s.dialect, s.every_ms, s.anchor,
             s.time_zone, s.start_at, s.end_at, s.exclusions::text[] AS exclusions, s.jitter_ms, s.max_runs,
             s.misfire_policy, s.max_catch_up, s.catch_up_window_ms, s.overlap_policy, s.queue_bound,
             s.auto_pause_after, s.state, s.paused_at, s.paused_by, s.pause_reason, s.paused_until,
             s.disabled_reason, s.next_fire_at, s.last_planned_at, s.tzdb_version, s.run_count, s.queued,
             s.consecutive_failures, s.template, s.job_type, q.name AS queue
        FROM jobs.schedules s
        LEFT JOIN jobs.queues q ON q.id = s.queue_id
       WHERE s.project_id = :project AND s.name > :after
         AND (cardinality(:states::text[]) = 0 OR s.state = ANY (:states))
         AND (:type::text IS NULL OR s.job_type = :type)
         AND (:queue::text IS NULL OR q.name = :queue)
       ORDER BY s.name
       LIMIT :limit
      """;

  List<ScheduleSummary> listSchedules(
      int projectId, ScheduleFilter filter, String after, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            filter
                .bindTo(h.createQuery(LIST_SCHEDULES))
                .bind("project", projectId)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, c) -> Columns.summary(row))
                .list());
  }

  private static final String COUNT_SCHEDULES =
      """
      SELECT count(*) FROM (
        SELECT 1
          FROM jobs.schedules s
          LEFT JOIN jobs.queues q ON q.id = s.queue_id
         WHERE s.project_id = :project
           AND (cardinality(:states::text[]) = 0 OR s.state = ANY (:states))
           AND (:type::text IS NULL OR s.job_type = :type)
           AND (:queue::text IS NULL OR q.name = :queue)
         LIMIT :most) counted
      """;

  Count countSchedules(int projectId, ScheduleFilter filter) {
    return jdbi.withHandle(
        h ->
            Count.of(
                filter
                    .bindTo(h.createQuery(COUNT_SCHEDULES))
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // By the unique key; the project stands in the predicate.
  private static final String FIND_SCHEDULE =
      """
      SELECT s.id, s.name, s.description, s.version, s.created_at, s.updated_at, s.expression, s.dialect, s.every_ms,
             s.anchor, s.time_zone, s.start_at, s.end_at, s.exclusions::text[] AS exclusions, s.jitter_ms, s.max_runs,
             s.misfire_policy, s.max_catch_up, s.catch_up_window_ms, s.overlap_policy, s.queue_bound,
             s.auto_pause_after, s.state, s.paused_at, s.paused_by, s.pause_reason, s.paused_until,
             s.disabled_reason, s.planned_to, s.next_fire_at, s.last_planned_at, s.tzdb_version, s.run_count,
             s.queued, s.consecutive_failures, s.template, s.job_type, q.name AS queue,
             s.payload::text AS payload, s.priority, s.max_attempts, s.retry_policy::text AS retry_policy,
             s.timeout_ms, s.start_within_ms, s.cost, s.concurrency_key, s.tags,
             s.metadata::text AS metadata, s.workflow::text AS workflow,
             clock_timestamp() AS now
        FROM jobs.schedules s
        LEFT JOIN jobs.queues q ON q.id = s.queue_id
       WHERE s.project_id = :project AND s.name = :name
      """;

  Optional<ScheduleRow> findSchedule(Handle h, int projectId, String name) {
    return h.createQuery(FIND_SCHEDULE)
        .bind("project", projectId)
        .bind("name", name)
        .map(
            (row, c) ->
                Columns.row(
                    row,
                    row.getString("template").equals("workflow")
                        ? queueNames(h, projectId)
                        : Map.of()))
        .findOne();
  }

  /**
   * A schedule of the caller's project.
   *
   * @throws ProblemException 404
   */
  ScheduleRow require(Grant grant, String name) {
    return find(grant, name).orElseThrow(() -> ProblemException.notFound("schedule"));
  }

  /** A schedule of the caller's project; empty when it has none of this name. */
  Optional<ScheduleRow> find(Grant grant, String name) {
    // What is no name names nothing, and a NUL never reaches the database.
    return Fields.isName(name)
        ? jdbi.withHandle(h -> findSchedule(h, grant.projectId(), name))
        : Optional.empty();
  }

  private static final String FIND_ID =
      """
      SELECT s.id FROM jobs.schedules s WHERE s.project_id = :project AND s.name = :name
      """;

  /**
   * The id of a schedule of the caller's project.
   *
   * @throws ProblemException 404
   */
  int requireId(Grant grant, String name) {
    if (!Fields.isName(name)) {
      throw ProblemException.notFound("schedule");
    }
    return jdbi.withHandle(
            h ->
                h.createQuery(FIND_ID)
                    .bind("project", grant.projectId())
                    .bind("name", name)
                    .mapTo(Integer.class)
                    .findOne())
        .orElseThrow(() -> ProblemException.notFound("schedule"));
  }

  private static final String QUEUE_NAMES =
      """
      SELECT q.id, q.name FROM jobs.queues q WHERE q.project_id = :project
      """;

  private static Map<Integer, String> queueNames(Handle h, int projectId) {
    Map<Integer, String> names = new HashMap<>();
    h.createQuery(QUEUE_NAMES)
        .bind("project", projectId)
        .map((row, c) -> names.put(row.getInt("id"), row.getString("name")))
        .list();
    return names;
  }

  private static final String QUEUE_IDS =
      """
      SELECT q.id, q.name FROM jobs.queues q WHERE q.project_id = :project AND q.name = ANY (:names)
      """;

  /** The ids of those of {@code names} that the project has. */
  Map<String, Integer> queueIds(Handle h, int projectId, Set<String> names) {
    Map<String, Integer> ids = new HashMap<>();
    h.createQuery(QUEUE_IDS)
        .bind("project", projectId)
        .bindArray("names", String.class, names.toArray())
        .map((row, c) -> ids.put(row.getString("name"), row.getInt("id")))
        .list();
    return ids;
  }

  // Whoever changes a schedule locks it first, as the leader does; FOR NO KEY UPDATE, so that a
  // backfill's reference to it need not wait. What it holds is read by the next statement.
  private static final String LOCK_SCHEDULE =
      """
      SELECT s.id FROM jobs.schedules s WHERE s.project_id = :project AND s.name = :name FOR NO KEY UPDATE
      """;

  /** Locks a schedule until the transaction ends, and reads it. */
  Optional<ScheduleRow> lockSchedule(Handle h, int projectId, String name) {
    if (!Fields.isName(name)) {
      return Optional.empty();
    }
    return h.createQuery(LOCK_SCHEDULE)
        .bind("project", projectId)
        .bind("name", name)
        .mapTo(Integer.class)
        .findOne()
        .flatMap(id -> findSchedule(h, projectId, name));
  }

  private static final String CLOCK = "SELECT clock_timestamp() AS now";

  /** The database's clock. */
  Instant now(Handle h) {
    return h.createQuery(CLOCK).mapTo(OffsetDateTime.class).one().toInstant();
  }
}
