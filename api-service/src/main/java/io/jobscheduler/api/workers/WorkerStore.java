package io.jobscheduler.api.workers;

import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Place;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over the fleet. */
@ApplicationScoped
class WorkerStore {
  private final Jdbi jdbi;

  WorkerStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // The table holds one row per process start that the leader has not forgotten yet. A pattern is
  // project/queue with * for any run of characters in either part, matched here with LIKE, whose
  // own wildcards are escaped; a worker belongs to the project when a pattern fits one of its
  // queues. Only such patterns are shown: the others may name other tenants' projects. By what
  // never changes of a worker, so that a walk meets each once whatever becomes of it; read whole,
  // for the few rows.
  private static final String LIST_WORKERS =
      """
      SELECT w.id, w.host, w.version, w.slots, w.running, d.draining, w.started_at, w.beat_at,
             serving.patterns AS queues,
             CASE WHEN w.lost_at IS NOT NULL THEN 'lost'
                  WHEN w.stopped_at IS NOT NULL THEN 'stopped'
                  WHEN d.draining THEN 'draining' ELSE 'active' END AS state
        FROM jobs.workers w
       CROSS JOIN LATERAL (
         SELECT w.draining OR EXISTS (SELECT 1 FROM jobs.worker_drains a WHERE a.worker_id = w.id)
                  AS draining) d
       CROSS JOIN LATERAL (
         SELECT array_agg(u.pattern ORDER BY u.n) AS patterns
           FROM unnest(w.queues) WITH ORDINALITY AS u (pattern, n)
          CROSS JOIN LATERAL (
            SELECT replace(replace(replace(replace(u.pattern, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%')
                     AS likeness) l
          WHERE EXISTS (
            SELECT 1 FROM jobs.projects p
              JOIN jobs.queues q ON q.project_id = p.id AND q.name LIKE split_part(l.likeness, '/', 2) ESCAPE '!'
             WHERE p.id = :project AND p.name LIKE split_part(l.likeness, '/', 1) ESCAPE '!')) serving
       WHERE serving.patterns IS NOT NULL AND w.id = coalesce(:worker, w.id)
         AND (jobs.micros(w.started_at), w.id) < (:beforeMicros, :beforeId)
       ORDER BY w.started_at DESC, w.id DESC
       LIMIT :limit
      """;

  /** Those after {@code place}, the latest start first. */
  List<Worker> listWorkers(int projectId, Place place, int limit) {
    return listWorkers(projectId, null, place, limit);
  }

  /** A worker that serves a project. */
  Optional<Worker> findWorker(int projectId, long worker) {
    return listWorkers(projectId, worker, Place.FIRST, 1).stream().findFirst();
  }

  private List<Worker> listWorkers(int projectId, @Nullable Long worker, Place place, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_WORKERS)
                .bind("project", projectId)
                .bindByType("worker", worker, Long.class)
                .bind("beforeMicros", place.micros())
                .bind("beforeId", place.id())
                .bind("limit", limit)
                .map((row, c) -> workerOf(row))
                .list());
  }

  // Those of the list. Stops where counting ends.
  private static final String COUNT_WORKERS =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.workers w
         WHERE EXISTS (
           SELECT 1 FROM jobs.projects p
             JOIN jobs.queues q ON q.project_id = p.id AND jobs.serves(w.queues, p.name, q.name)
            WHERE p.id = :project)
         LIMIT :most) counted
      """;

  Count countWorkers(int projectId) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_WORKERS)
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // Locks no more of the worker's row than its key, so its beats go on meanwhile. Of a worker that
  // has ended nothing is asked.
  private static final String ASK_TO_DRAIN =
      """
      INSERT INTO jobs.worker_drains (worker_id)
      SELECT w.id FROM jobs.workers w
       WHERE w.id = :worker AND w.lost_at IS NULL AND w.stopped_at IS NULL
      ON CONFLICT DO NOTHING
      """;

  /** Asks a worker to claim nothing more, until {@link #askToResume}; again changes nothing. */
  void askToDrain(long worker) {
    jdbi.useHandle(h -> h.createUpdate(ASK_TO_DRAIN).bind("worker", worker).execute());
  }

  private static final String ASK_TO_RESUME =
      "DELETE FROM jobs.worker_drains WHERE worker_id = :worker";

  /** Takes the wish back. */
  void askToResume(long worker) {
    jdbi.useHandle(h -> h.createUpdate(ASK_TO_RESUME).bind("worker", worker).execute());
  }

  private static Worker workerOf(ResultSet row) throws SQLException {
    return new Worker(
        row.getString("id"),
        row.getString("host"),
        row.getString("version"),
        row.getInt("slots"),
        row.getInt("running"),
        row.getBoolean("draining"),
        row.getString("state"),
        row.getObject("started_at", OffsetDateTime.class).toInstant(),
        row.getObject("beat_at", OffsetDateTime.class).toInstant(),
        List.of((String[]) row.getArray("queues").getArray()));
  }
}
