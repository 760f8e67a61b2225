package io.jobscheduler.api.queues;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
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
      SELECT q.name, q.weight, q.max_concurrency, q.created_at,
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
       ORDER BY q.name
       LIMIT :limit
      """;

  List<Queue> listQueues(int projectId, String after, int limit) {
    return query(projectId, after, null, limit);
  }

  Optional<Queue> findQueue(int projectId, String name) {
    return query(projectId, "", name, 1).stream().findFirst();
  }

  private List<Queue> query(int projectId, String after, @Nullable String name, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(LIST_QUEUES)
                .bind("project", projectId)
                .bind("after", after)
                .bind("name", name)
                .bind("limit", limit)
                .bind("most", Count.CAP + 1)
                .map((row, c) -> queueOf(row))
                .list());
  }

  private static final String COUNT_QUEUES =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.queues q WHERE q.project_id = :project LIMIT :most) counted
      """;

  Count countQueues(int projectId) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_QUEUES)
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // A queue that is new has no claim in flight, so its first limit may come with the row.
  private static final String INSERT_QUEUE =
      """
      INSERT INTO jobs.queues (project_id, name, weight, max_concurrency)
      VALUES (:project, :name, :weight, :limit)
      ON CONFLICT (project_id, name) DO NOTHING
      """;

  /** Creates or replaces a queue; true when it is new. */
  boolean putQueue(int projectId, String name, int weight, @Nullable Integer maxConcurrency) {
    return jdbi.inTransaction(
        h -> {
          int inserted =
              h.createUpdate(INSERT_QUEUE)
                  .bind("project", projectId)
                  .bind("name", name)
                  .bind("weight", weight)
                  .bind("limit", maxConcurrency)
                  .execute();
          if (inserted == 0) {
            replaceQueue(h, projectId, name, weight, maxConcurrency);
          }
          return inserted > 0;
        });
  }

  // The row is locked first, here and by every other PUT of it; the gate of the claims comes after,
  // inside set_queue_limits, so two PUTs cannot wait for each other. The limit is told whether it
  // differs, since setting it stops all claims for a moment.
  private static final String UPDATE_WEIGHT =
      """
      UPDATE jobs.queues q
         SET weight = :weight, updated_at = clock_timestamp()
       WHERE q.project_id = :project AND q.name = :name
      RETURNING q.id, q.max_concurrency IS DISTINCT FROM :limit::int AS differs
      """;

  private static final String SET_LIMIT =
      "SELECT jobs.set_queue_limits(:queue, :limit, NULL, NULL, NULL, NULL)";

  private static void replaceQueue(
      Handle h, int projectId, String name, int weight, @Nullable Integer maxConcurrency) {
    h.createQuery(UPDATE_WEIGHT)
        .bind("project", projectId)
        .bind("name", name)
        .bind("weight", weight)
        .bind("limit", maxConcurrency)
        .map((row, c) -> row.getBoolean("differs") ? row.getInt("id") : null)
        .findOne()
        .ifPresent(
            queue ->
                h.createQuery(SET_LIMIT)
                    .bind("queue", queue)
                    .bind("limit", maxConcurrency)
                    .map((row, c) -> true)
                    .one());
  }

  private static Queue queueOf(ResultSet row) throws SQLException {
    Map<String, Count> counts = new LinkedHashMap<>();
    for (String state : COUNTED) {
      counts.put(state, Count.of(row.getLong(state)));
    }
    OffsetDateTime oldest = row.getObject("oldest_ready_at", OffsetDateTime.class);
    return new Queue(
        row.getString("name"),
        row.getInt("weight"),
        row.getObject("max_concurrency", Integer.class),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        counts,
        oldest == null ? null : oldest.toInstant());
  }
}
