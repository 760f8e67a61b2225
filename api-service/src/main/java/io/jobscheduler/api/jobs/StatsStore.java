package io.jobscheduler.api.jobs;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** SQL that counts a project's jobs. */
@ApplicationScoped
class StatsStore {
  private final Jdbi jdbi;

  StatsStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Jobs by state.
   *
   * @param asOf when they were counted, by the database's clock
   */
  record Counted(Map<String, Count> counts, Instant asOf) {}

  // Each count stops one past the cap. Live states queue by queue on their partial indexes, ended
  // ones on
  // finished_jobs_project_state.
  private static final String COUNT_BY_STATE =
      """
      SELECT c.state, c.n, clock_timestamp() AS as_of
        FROM (
          SELECT 'scheduled' AS state, (SELECT count(*) FROM (
            SELECT 1 FROM jobs.queues q CROSS JOIN LATERAL (
              SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'scheduled' LIMIT :most) j
             WHERE q.project_id = :project LIMIT :most) r) AS n
          UNION ALL
          SELECT 'blocked', (SELECT count(*) FROM (
            SELECT 1 FROM jobs.queues q CROSS JOIN LATERAL (
              SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'blocked' LIMIT :most) j
             WHERE q.project_id = :project LIMIT :most) r)
          UNION ALL
          SELECT 'ready', (SELECT count(*) FROM (
            SELECT 1 FROM jobs.queues q CROSS JOIN LATERAL (
              SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT :most) j
             WHERE q.project_id = :project LIMIT :most) r)
          UNION ALL
          SELECT 'running', (SELECT count(*) FROM (
            SELECT 1 FROM jobs.queues q CROSS JOIN LATERAL (
              SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'running' LIMIT :most) j
             WHERE q.project_id = :project LIMIT :most) r)
          UNION ALL
          SELECT 'retrying', (SELECT count(*) FROM (
            SELECT 1 FROM jobs.queues q CROSS JOIN LATERAL (
              SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'retrying' LIMIT :most) j
             WHERE q.project_id = :project LIMIT :most) r)
          UNION ALL
          SELECT s.state, (SELECT count(*) FROM (
            SELECT 1 FROM jobs.finished_jobs f
             WHERE f.project_id = :project AND f.state = s.state LIMIT :most) r)
            FROM unnest(ARRAY['succeeded', 'dead', 'cancelled', 'skipped']) AS s (state)) c
      """;

  Counted countByState(int projectId) {
    return IndexReads.in(
        jdbi,
        h -> {
          Map<String, Count> counts = new LinkedHashMap<>();
          Instant[] asOf = new Instant[1];
          h.createQuery(COUNT_BY_STATE)
              .bind("project", projectId)
              .bind("most", Count.CAP + 1)
              .map(
                  (row, c) -> {
                    asOf[0] = row.getObject("as_of", OffsetDateTime.class).toInstant();
                    return counts.put(row.getString("state"), Count.of(row.getLong("n")));
                  })
              .list();
          return new Counted(counts, asOf[0]);
        });
  }
}
