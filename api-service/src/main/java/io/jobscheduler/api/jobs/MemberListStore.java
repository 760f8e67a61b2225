package io.jobscheduler.api.jobs;

import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * SQL that finds the ids of a list's page of jobs that belong together: to a workflow, a schedule,
 * or one error. To be run inside IndexReads; bounded as in {@link JobListStore}.
 */
@ApplicationScoped
class MemberListStore {
  /** To what all must belong; null: to any. */
  record Members(@Nullable Integer workflow, @Nullable Integer schedule) {
    boolean any() {
      return workflow == null && schedule == null;
    }
  }

  // All members of a workflow, at most 20,000, by the two workflow indexes: complete.
  private static final String WORKFLOW_IDS =
      """
      WITH fitting AS MATERIALIZED (
        SELECT j.id FROM jobs.jobs j
         WHERE j.workflow_id = :workflow AND j.project_id = :project AND j.state = ANY (:states)
           AND (:queues::int[] IS NULL OR j.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR j.type = :type)
        UNION ALL
        SELECT f.id FROM jobs.finished_jobs f
         WHERE f.workflow_id = :workflow AND f.project_id = :project AND f.state = ANY (:states)
           AND (:queues::int[] IS NULL OR f.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR f.type = :type))
      SELECT (SELECT count(*) FROM fitting) AS found,
             (SELECT count(*) FROM fitting) AS fitting,
             ARRAY(SELECT f.id FROM fitting f WHERE f.id < :before ORDER BY f.id DESC LIMIT :limit) AS ids
      """;

  JobListStore.Slice workflowIds(
      Handle h, Scope scope, int workflow, List<String> states, long before, int limit) {
    return JobListStore.slice(
        scope
            .bindTo(h.createQuery(WORKFLOW_IDS))
            .bind("workflow", workflow)
            .bindArray("states", String.class, states.toArray())
            .bind("before", before)
            .bind("limit", limit));
  }

  private static final String FIND_SCHEDULE_ID =
      """
      SELECT s.id FROM jobs.schedules s WHERE s.project_id = :project AND s.name = :name
      """;

  Optional<Integer> findScheduleId(Handle h, Scope scope, String name) {
    return h.createQuery(FIND_SCHEDULE_ID)
        .bind("project", scope.projectId())
        .bind("name", name)
        .mapTo(Integer.class)
        .findOne();
  }

  // Jobs of a schedule, of both tables by their schedule's index, backwards: the newest of each up
  // to a bound. One statement, so a job that ends meanwhile is met once.
  private static final String SCHEDULE_IDS =
      """
      SELECT b.id FROM (
        (SELECT j.id, j.project_id, j.state, j.queue_id, j.type, j.workflow_id FROM jobs.jobs j
          WHERE j.schedule_id = :schedule AND j.id < :before
          ORDER BY j.schedule_id DESC, j.id DESC LIMIT :scanned)
        UNION ALL
        (SELECT f.id, f.project_id, f.state, f.queue_id, f.type, f.workflow_id FROM jobs.finished_jobs f
          WHERE f.schedule_id = :schedule AND f.id < :before
          ORDER BY f.schedule_id DESC, f.id DESC LIMIT :scanned)) b
       WHERE b.project_id = :project AND b.state = ANY (:states)
         AND (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
         AND (:type::text IS NULL OR b.type = :type)
         AND (:workflow::int IS NULL OR b.workflow_id = :workflow)
       ORDER BY b.id DESC LIMIT :limit
      """;

  List<Long> scheduleIds(
      Handle h,
      Scope scope,
      int schedule,
      @Nullable Integer workflow,
      List<String> states,
      long before,
      int limit) {
    return scope
        .bindTo(h.createQuery(SCHEDULE_IDS))
        .bind("schedule", schedule)
        .bind("workflow", workflow)
        .bindArray("states", String.class, states.toArray())
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  private static final String COUNT_SCHEDULE =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM (
          (SELECT j.project_id, j.state, j.queue_id, j.type, j.workflow_id FROM jobs.jobs j
            WHERE j.schedule_id = :schedule ORDER BY j.schedule_id DESC, j.id DESC LIMIT :scanned)
          UNION ALL
          (SELECT f.project_id, f.state, f.queue_id, f.type, f.workflow_id FROM jobs.finished_jobs f
            WHERE f.schedule_id = :schedule ORDER BY f.schedule_id DESC, f.id DESC LIMIT :scanned)) b
         WHERE b.project_id = :project AND b.state = ANY (:states)
           AND (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR b.type = :type)
           AND (:workflow::int IS NULL OR b.workflow_id = :workflow)
         LIMIT :most) counted
      """;

  long countSchedule(
      Handle h, Scope scope, int schedule, @Nullable Integer workflow, List<String> states) {
    return scope
        .bindTo(h.createQuery(COUNT_SCHEDULE))
        .bind("schedule", schedule)
        .bind("workflow", workflow)
        .bindArray("states", String.class, states.toArray())
        .bind("most", Count.CAP + 1)
        .mapTo(Long.class)
        .one();
  }

  // The newer of the first rows of both tables that the bounded scans did not look at.
  private static final String SCHEDULE_BEYOND =
      """
      SELECT coalesce(max(b.id), 0) FROM (
        (SELECT j.id FROM jobs.jobs j WHERE j.schedule_id = :schedule AND j.id < :before
          ORDER BY j.schedule_id DESC, j.id DESC OFFSET :scanned LIMIT 1)
        UNION ALL
        (SELECT f.id FROM jobs.finished_jobs f WHERE f.schedule_id = :schedule AND f.id < :before
          ORDER BY f.schedule_id DESC, f.id DESC OFFSET :scanned LIMIT 1)) b
      """;

  long scheduleBeyond(Handle h, Scope scope, int schedule, long before) {
    return scope
        .bindTo(h.createQuery(SCHEDULE_BEYOND))
        .bind("schedule", schedule)
        .bind("before", before)
        .mapTo(Long.class)
        .one();
  }

  // By finished_jobs_fingerprint and nothing else: one ordered scan over the partitions.
  private static final String DEAD_IDS =
      """
      SELECT b.id FROM (
        SELECT f.project_id, f.error_fingerprint, f.id, f.queue_id, f.type, f.workflow_id, f.schedule_id
          FROM jobs.finished_jobs f
         WHERE f.state = 'dead' AND f.error_fingerprint IS NOT NULL
           AND (f.project_id, f.error_fingerprint) >= (:project, :error)
           AND (f.project_id, f.error_fingerprint, f.id) < (:project, :error, :before)
         ORDER BY f.project_id DESC, f.error_fingerprint DESC, f.id DESC LIMIT :scanned) b
       WHERE (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
         AND (:type::text IS NULL OR b.type = :type)
         AND (:workflow::int IS NULL OR b.workflow_id = :workflow)
         AND (:schedule::int IS NULL OR b.schedule_id = :schedule)
       ORDER BY b.project_id DESC, b.error_fingerprint DESC, b.id DESC LIMIT :limit
      """;

  /** Dead jobs that have the fingerprint {@code error}. */
  List<Long> deadIds(Handle h, Scope scope, Members of, String error, long before, int limit) {
    return scope
        .bindTo(h.createQuery(DEAD_IDS))
        .bind("workflow", of.workflow())
        .bind("schedule", of.schedule())
        .bind("error", error)
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  private static final String COUNT_DEAD =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM (
          SELECT f.queue_id, f.type, f.workflow_id, f.schedule_id FROM jobs.finished_jobs f
           WHERE f.state = 'dead' AND f.error_fingerprint IS NOT NULL
             AND (f.project_id, f.error_fingerprint) >= (:project, :error)
             AND (f.project_id, f.error_fingerprint, f.id) <= (:project, :error, 9223372036854775807)
           ORDER BY f.project_id DESC, f.error_fingerprint DESC, f.id DESC LIMIT :scanned) b
         WHERE (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR b.type = :type)
           AND (:workflow::int IS NULL OR b.workflow_id = :workflow)
           AND (:schedule::int IS NULL OR b.schedule_id = :schedule)
         LIMIT :most) counted
      """;

  long countDead(Handle h, Scope scope, Members of, String error) {
    return scope
        .bindTo(h.createQuery(COUNT_DEAD))
        .bind("workflow", of.workflow())
        .bind("schedule", of.schedule())
        .bind("error", error)
        .bind("most", Count.CAP + 1)
        .mapTo(Long.class)
        .one();
  }

  private static final String DEAD_BEYOND =
      """
      SELECT coalesce(max(b.id), 0) FROM (
        SELECT f.id FROM jobs.finished_jobs f
         WHERE f.state = 'dead' AND f.error_fingerprint IS NOT NULL
           AND (f.project_id, f.error_fingerprint) >= (:project, :error)
           AND (f.project_id, f.error_fingerprint, f.id) < (:project, :error, :before)
         ORDER BY f.project_id DESC, f.error_fingerprint DESC, f.id DESC OFFSET :scanned LIMIT 1) b
      """;

  long deadBeyond(Handle h, Scope scope, String error, long before) {
    return scope
        .bindTo(h.createQuery(DEAD_BEYOND))
        .bind("error", error)
        .bind("before", before)
        .mapTo(Long.class)
        .one();
  }
}
