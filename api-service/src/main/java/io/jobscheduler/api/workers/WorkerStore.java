package io.jobscheduler.api.workers;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** SQL over the fleet. */
@ApplicationScoped
class WorkerStore {
  private final Jdbi jdbi;

  WorkerStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // The table holds one row per process start that the leader has not forgotten yet. A pattern is
  // project/queue with * for any run of characters in either part, matched here with LIKE, whose
  // own
  // wildcards are escaped; a worker belongs to the project when a pattern fits one of its queues.
  // Only such patterns are shown: the others may name other tenants' projects.
  private static final String LIST_WORKERS =
      """
      SELECT w.id, w.host, w.version, w.slots, w.running, w.draining, w.started_at, w.beat_at,
             serving.patterns AS queues,
             CASE WHEN w.lost_at IS NOT NULL THEN 'lost'
                  WHEN w.stopped_at IS NOT NULL THEN 'stopped'
                  WHEN w.draining THEN 'draining' ELSE 'active' END AS state
        FROM jobs.workers w
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
       WHERE serving.patterns IS NOT NULL
       ORDER BY (w.lost_at IS NULL AND w.stopped_at IS NULL) DESC, w.started_at DESC, w.id
       LIMIT 500
      """;

  List<Worker> listWorkers(int projectId) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_WORKERS)
                .bind("project", projectId)
                .map((row, c) -> workerOf(row))
                .list());
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
