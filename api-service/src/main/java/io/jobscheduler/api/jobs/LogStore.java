package io.jobscheduler.api.jobs;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that reads the log lines of attempts. */
@ApplicationScoped
class LogStore {
  private final Jdbi jdbi;

  LogStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * An attempt of a job.
   *
   * @param leaseToken 0 when the job has had no attempt yet
   */
  record Which(long leaseToken, int generation, int attempt, boolean running) {
    boolean isAttempt() {
      return leaseToken != 0;
    }
  }

  // The newest attempt that fits, wherever its trace is (see JobStore); one row in any case when
  // the
  // project has the job, by the outer join.
  private static final String FIND_ATTEMPT =
      """
      SELECT coalesce(t.lease_token, 0) AS lease_token, coalesce(t.generation, 0) AS generation,
             coalesce(t.attempt, 0) AS attempt, coalesce(t.running, false) AS running
        FROM jobs.all_jobs w
        LEFT JOIN LATERAL (
          SELECT a.lease_token, a.generation, a.attempt, a.running
            FROM (
              SELECT b.lease_token, b.generation, b.attempt, false AS running
                FROM jobs.attempts b WHERE b.job_id = :id
              UNION ALL
              SELECT b.lease_token, b.generation, b.attempt, false
                FROM jobs.finished_attempts b WHERE b.job_id = :id
              UNION ALL
              SELECT w.lease_token, w.generation, w.attempt, w.finished_at IS NULL
               WHERE w.lease_token IS NOT NULL) a
           WHERE (:attempt::int IS NULL OR a.attempt = :attempt)
             AND (:generation::int IS NULL OR a.generation = :generation)
           ORDER BY a.lease_token DESC LIMIT 1) t ON true
       WHERE w.id = :id AND w.project_id = :project
      """;

  /** The newest attempt that fits; empty when the project has no such job. */
  Optional<Which> findAttempt(
      int projectId, long id, @Nullable Integer attempt, @Nullable Integer generation) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_ATTEMPT)
                .bind("project", projectId)
                .bind("id", id)
                .bind("attempt", attempt)
                .bind("generation", generation)
                .map(
                    (row, c) ->
                        new Which(
                            row.getLong("lease_token"),
                            row.getInt("generation"),
                            row.getInt("attempt"),
                            row.getBoolean("running")))
                .findOne());
  }

  // By the primary key, one ordered scan over the partitions. The caller has found the token in the
  // caller's project.
  private static final String LIST_LINES =
      """
      SELECT l.line, l.logged_at, l.level, l.message
        FROM jobs.job_logs l
       WHERE l.job_id = :id AND l.lease_token = :token AND l.line > :after
       ORDER BY l.line LIMIT :limit
      """;

  List<LogLine> listLines(long id, long token, int after, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(LIST_LINES)
                .bind("id", id)
                .bind("token", token)
                .bind("after", after)
                .bind("limit", limit)
                .map(
                    (row, c) ->
                        new LogLine(
                            row.getInt("line"),
                            row.getObject("logged_at", OffsetDateTime.class).toInstant(),
                            row.getString("level"),
                            row.getString("message")))
                .list());
  }

  /** How many lines there are, and the number of the last. */
  record Extent(long lines, int last) {}

  // An attempt keeps 10,000 lines: the count is bounded.
  private static final String EXTENT =
      """
      SELECT count(*) AS lines, coalesce(max(l.line), 0) AS last
        FROM jobs.job_logs l WHERE l.job_id = :id AND l.lease_token = :token
      """;

  Extent extent(long id, long token) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(EXTENT)
                .bind("id", id)
                .bind("token", token)
                .map((row, c) -> new Extent(row.getLong("lines"), row.getInt("last")))
                .one());
  }
}
