package io.jobscheduler.api.schedules;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** SQL that reads when schedules fire, and nothing else of them. */
@ApplicationScoped
class HeatMapStore {
  private final Jdbi jdbi;

  HeatMapStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The rules of active schedules, and the clock.
   *
   * @param found schedules read, at most one more than asked for
   */
  record Rules(Instant now, List<ScheduleRule> found) {}

  private static final String CLOCK = "SELECT clock_timestamp() AS now";

  // By the unique key (project_id, name), up to a bound.
  private static final String LIST_RULES =
      """
      SELECT s.expression, s.dialect, s.every_ms, s.anchor, s.time_zone, s.start_at, s.end_at,
             s.exclusions::text[] AS exclusions
        FROM jobs.schedules s
       WHERE s.project_id = :project AND s.state = 'active'
       ORDER BY s.name
       LIMIT :limit
      """;

  Rules listRules(int projectId, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            new Rules(
                h.createQuery(CLOCK).map((row, c) -> Columns.required(row, "now")).one(),
                h.createQuery(LIST_RULES)
                    .bind("project", projectId)
                    .bind("limit", limit)
                    .map((row, c) -> Columns.rule(row))
                    .list()));
  }
}
