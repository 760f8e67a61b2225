package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * SQL that looks into the newest rows of a project for what no index has; to be run inside
 * IndexReads. Bounded by the scope's {@code scanned}, as in {@link JobListStore}.
 */
@ApplicationScoped
class JobSearchStore {

  /** Rows to look for, and where an earlier page ended. */
  record Sought(
      JobSearch search,
      List<String> states,
      @Nullable Integer workflow,
      @Nullable Integer schedule,
      @Nullable String error,
      long before,
      int limit) {
    Query bindTo(Query query) {
      return search
          .bindTo(query)
          .bindArray("states", String.class, states.toArray())
          .bind("workflow", workflow)
          .bind("schedule", schedule)
          .bind("before", before)
          .bind("limit", limit);
    }
  }

  // By jobs_project, backwards; the inner LIMIT bounds what is looked at, the outer one stops the
  // scan when the page is full.
  private static final String LIVE_MATCHES =
      """
      SELECT l.id FROM (
        SELECT j.project_id, j.id, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
               j.created_at, j.payload
          FROM jobs.jobs j
         WHERE j.project_id >= :project AND (j.project_id, j.id) < (:project, :before)
         ORDER BY j.project_id DESC, j.id DESC LIMIT :scanned) l
       WHERE l.state = ANY (:states)
         AND (:queues::int[] IS NULL OR l.queue_id = ANY (:queues))
         AND (:type::text IS NULL OR l.type = :type)
         AND (:workflow::int IS NULL OR l.workflow_id = :workflow)
         AND (:schedule::int IS NULL OR l.schedule_id = :schedule)
         AND (:worker::bigint IS NULL OR l.worker_id = :worker)
         AND (:tag::text IS NULL OR l.tags @> ARRAY[:tag::text])
         AND (:createdAfter::timestamptz IS NULL OR l.created_at >= :createdAfter::timestamptz)
         AND (:createdBefore::timestamptz IS NULL OR l.created_at < :createdBefore::timestamptz)
         AND (:paths::text[] = '{}' OR NOT EXISTS (
               SELECT 1 FROM unnest(:paths::text[], :values::text[]) AS m (path, value)
                WHERE coalesce(l.payload #>> string_to_array(m.path, '.'),
                               (l.payload #> string_to_array(m.path, '.'))::text) IS DISTINCT FROM m.value))
       ORDER BY l.project_id DESC, l.id DESC LIMIT :limit
      """;

  List<Long> liveMatches(Handle h, Scope scope, Sought sought) {
    return sought.bindTo(scope.bindTo(h.createQuery(LIVE_MATCHES))).mapTo(Long.class).list();
  }

  // As above, by finished_jobs_project_state: one ordered scan over the partitions per state.
  private static final String ENDED_MATCHES =
      """
      SELECT e.id, e.state
        FROM unnest(:states::text[]) AS s (state)
       CROSS JOIN LATERAL (
         SELECT b.id, b.state FROM (
           SELECT f.project_id, f.state, f.id, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags,
                  f.created_at, f.payload, f.error_fingerprint
             FROM jobs.finished_jobs f
            WHERE (f.project_id, f.state) >= (:project, s.state)
              AND (f.project_id, f.state, f.id) < (:project, s.state, :before)
            ORDER BY f.project_id DESC, f.state DESC, f.id DESC LIMIT :scanned) b
          WHERE (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
            AND (:type::text IS NULL OR b.type = :type)
            AND (:workflow::int IS NULL OR b.workflow_id = :workflow)
            AND (:schedule::int IS NULL OR b.schedule_id = :schedule)
            AND (:worker::bigint IS NULL OR b.worker_id = :worker)
            AND (:error::text IS NULL OR b.error_fingerprint = :error)
            AND (:tag::text IS NULL OR b.tags @> ARRAY[:tag::text])
            AND (:createdAfter::timestamptz IS NULL OR b.created_at >= :createdAfter::timestamptz)
            AND (:createdBefore::timestamptz IS NULL OR b.created_at < :createdBefore::timestamptz)
            AND (:paths::text[] = '{}' OR NOT EXISTS (
                  SELECT 1 FROM unnest(:paths::text[], :values::text[]) AS m (path, value)
                   WHERE coalesce(b.payload #>> string_to_array(m.path, '.'),
                                  (b.payload #> string_to_array(m.path, '.'))::text) IS DISTINCT FROM m.value))
          ORDER BY b.project_id DESC, b.state DESC, b.id DESC LIMIT :limit) e
       ORDER BY e.id DESC
      """;

  List<JobListStore.Ended> endedMatches(Handle h, Scope scope, Sought sought) {
    return sought
        .bindTo(scope.bindTo(h.createQuery(ENDED_MATCHES)))
        .bind("error", sought.error())
        .map((row, c) -> new JobListStore.Ended(row.getLong("id"), row.getString("state")))
        .list();
  }
}
