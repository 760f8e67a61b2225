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
  private static final String LIST_WORKERS =
      """
      SELECT w.id, w.host, w.version, w.slots, w.running, w.draining, w.started_at, w.beat_at, w.queues,
             CASE WHEN w.lost_at IS NOT NULL THEN 'lost'
                  WHEN w.stopped_at IS NOT NULL THEN 'stopped'
                  WHEN w.draining THEN 'draining' ELSE 'active' END AS state
        FROM jobs.workers w
       WHERE EXISTS (
         SELECT 1
           FROM unnest(w.queues) AS u (pattern)
          CROSS JOIN LATERAL (
            SELECT replace(replace(replace(replace(u.pattern, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%')
                     AS likeness) l
           JOIN jobs.projects p ON p.id = :project AND p.name LIKE split_part(l.likeness, '/', 1) ESCAPE '!'
           JOIN jobs.queues q ON q.project_id = p.id AND q.name LIKE split_part(l.likeness, '/', 2) ESCAPE '!')
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
