package io.jobscheduler.api.queues;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.Period;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over queues. */
@ApplicationScoped
public class QueueStore {
  private static final List<String> COUNTED =
      List.of("scheduled", "blocked", "ready", "running", "retrying");

  private final Jdbi jdbi;

  QueueStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // Keyset by name through the unique index. Each count stops one past the cap, on the partial
  // index
  // of its state (jobs_waiting, jobs_ready, jobs_running). The oldest ready job is the least ready
  // time of the ten lanes' heads: one probe of jobs_ready each.
  private static final String LIST_QUEUES =
      """
      SELECT q.id, q.name, q.weight, q.max_concurrency, q.per_key_concurrency, q.rate_limit, q.rate_period_ms,
             q.rate_burst, q.max_depth, q.ageing_ms, q.retry_policy::text AS retry_policy, q.timeout_ms,
             q.retain_finished_days, q.retain_dead_days, q.search_paths, q.paused_at, q.paused_by, q.pause_reason, q.resume_at,
             q.created_at,
             (extract(epoch FROM q.updated_at) * 1000000)::bigint AS version,
             (SELECT count(*) FROM (SELECT 1 FROM jobs.jobs j
               WHERE j.queue_id = q.id AND j.state = 'scheduled' LIMIT :most) c) AS scheduled,
             (SELECT count(*) FROM (SELECT 1 FROM jobs.jobs j
               WHERE j.queue_id = q.id AND j.state = 'blocked' LIMIT :most) c) AS blocked,
             (SELECT count(*) FROM (SELECT 1 FROM jobs.jobs j
               WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT :most) c) AS ready,
             (SELECT count(*) FROM (SELECT 1 FROM jobs.jobs j
               WHERE j.queue_id = q.id AND j.state = 'running' LIMIT :most) c) AS running,
             (SELECT count(*) FROM (SELECT 1 FROM jobs.jobs j
               WHERE j.queue_id = q.id AND j.state = 'retrying' LIMIT :most) c) AS retrying,
             (SELECT min(h.ready_at)
                FROM generate_series(0, 9) AS l (lane)
               CROSS JOIN LATERAL (
                 SELECT j.ready_at FROM jobs.jobs j
                  WHERE j.queue_id = q.id AND j.dispatch_lane = l.lane::smallint AND j.state = 'ready'
                  ORDER BY j.dispatch_key, j.id LIMIT 1) h) AS oldest_ready_at
        FROM jobs.queues q
       WHERE q.project_id = :project
         AND q.name > :after
         AND (:name::text IS NULL OR q.name = :name)
         AND (:queues::int[] IS NULL OR q.id = ANY (:queues))
         AND q.deleted_at IS NULL
       ORDER BY q.name
       LIMIT :limit
      """;

  /**
   * Queues by name.
   *
   * @param ids of these only; null: all
   */
  List<Queue> listQueues(
      int projectId, @Nullable Collection<Integer> ids, String after, int limit) {
    return query(projectId, ids, after, null, limit);
  }

  Optional<Queue> findQueue(int projectId, String name) {
    return query(projectId, null, "", name, 1).stream().findFirst();
  }

  private List<Queue> query(
      int projectId,
      @Nullable Collection<Integer> ids,
      String after,
      @Nullable String name,
      int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(LIST_QUEUES)
                .bind("project", projectId)
                .bind("after", after)
                .bind("name", name)
                .bindByType("queues", array(ids), Integer[].class)
                .bind("limit", limit)
                .bind("most", Count.CAP + 1)
                .map((row, c) -> queueOf(row))
                .list());
  }

  private static final String COUNT_QUEUES =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.queues q
         WHERE q.project_id = :project AND q.deleted_at IS NULL
           AND (:queues::int[] IS NULL OR q.id = ANY (:queues))
         LIMIT :most) counted
      """;

  Count countQueues(int projectId, @Nullable Collection<Integer> ids) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_QUEUES)
                    .bind("project", projectId)
                    .bindByType("queues", array(ids), Integer[].class)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  private static Integer @Nullable [] array(@Nullable Collection<Integer> ids) {
    return ids == null ? null : ids.toArray(new Integer[0]);
  }

  private static Queue queueOf(ResultSet row) throws SQLException {
    Map<String, Count> counts = new LinkedHashMap<>();
    for (String state : COUNTED) {
      counts.put(state, Count.of(row.getLong(state)));
    }
    QueueSettings settings = QueueEditStore.settingsOf(row);
    return new Queue(
        row.getString("name"),
        settings.weight(),
        settings.maxConcurrency(),
        settings.perKeyConcurrency(),
        settings.rateLimit(),
        settings.maxDepth(),
        settings.aging(),
        settings.retryPolicy(),
        settings.timeout(),
        new QueueSettings.Retention(days(settings.finishedDays()), days(settings.deadDays())),
        settings.searchablePaths(),
        pauseOf(row),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        counts,
        instant(row, "oldest_ready_at"),
        QueueEditStore.etagOf(row));
  }

  private static QueueSettings.@Nullable Pause pauseOf(ResultSet row) throws SQLException {
    Instant at = instant(row, "paused_at");
    return at == null
        ? null
        : new QueueSettings.Pause(
            row.getString("paused_by"),
            row.getString("pause_reason"),
            at,
            instant(row, "resume_at"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }

  private static @Nullable String days(@Nullable Integer days) {
    return days == null ? null : Period.ofDays(days).toString();
  }
}
