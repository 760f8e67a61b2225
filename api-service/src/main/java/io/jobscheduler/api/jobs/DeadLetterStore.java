package io.jobscheduler.api.jobs;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.schema.failure.NormalMessage;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** SQL over dead jobs by what they failed of; all of it by finished_jobs_fingerprint. */
@ApplicationScoped
class DeadLetterStore {
  /** Groups looked at, in all pages. */
  static final int MOST_GROUPS = 500;

  /** Where the jobs of a group are no longer counted, nor read for its first and last instant. */
  static final int MOST_COUNTED = 1_000;

  private final Jdbi jdbi;

  DeadLetterStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The groups of a page, and how many there are, one more than looked at when there are more. */
  record Found(List<DeadLetterGroup> groups, int known) {}

  // A loose index scan: from fingerprint to fingerprint, one probe each, however many jobs share
  // it. Then per group its newest job, which orders the page; and only for the page the newest
  // 1,001 jobs of each group.
  private static final String FIND_GROUPS =
      """
      WITH RECURSIVE walk AS (
        (SELECT f.error_fingerprint AS fingerprint, 1 AS n FROM jobs.finished_jobs f
          WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint IS NOT NULL
          ORDER BY f.project_id, f.error_fingerprint LIMIT 1)
        UNION ALL
        SELECT s.fingerprint, w.n + 1
          FROM walk w
         CROSS JOIN LATERAL (
           SELECT f.error_fingerprint AS fingerprint FROM jobs.finished_jobs f
            WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint IS NOT NULL
              AND f.error_fingerprint > w.fingerprint
            ORDER BY f.project_id, f.error_fingerprint LIMIT 1) s
         WHERE w.n <= :mostGroups
      ), known AS MATERIALIZED (
        SELECT w.fingerprint, t.id
          FROM walk w
         CROSS JOIN LATERAL (
           SELECT f.id FROM jobs.finished_jobs f
            WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint = w.fingerprint
            ORDER BY f.id DESC LIMIT 1) t
         WHERE w.n <= :mostGroups
      ), page AS MATERIALIZED (
        SELECT k.fingerprint, k.id FROM known k WHERE k.id < :before ORDER BY k.id DESC LIMIT :limit
      )
      SELECT p.fingerprint, p.id, (SELECT max(w.n) FROM walk w) AS known, g.counted, g.first_seen, g.last_seen,
             ARRAY(SELECT f.id FROM jobs.finished_jobs f
                    WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint = p.fingerprint
                    ORDER BY f.id DESC LIMIT 5) AS samples,
             e.error_kind, left(e.error_message, 1000) AS error_message,
             (regexp_match(e.error_stack, '^[ \t]*(at|File) (.*)$', 'n'))[2] AS top_frame
        FROM page p
       CROSS JOIN LATERAL (
         SELECT count(*) AS counted, min(m.finished_at) AS first_seen, max(m.finished_at) AS last_seen
           FROM (SELECT f.id, f.finished_at FROM jobs.finished_jobs f
                  WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint = p.fingerprint
                  ORDER BY f.id DESC LIMIT :mostCounted + 1) m) g
       CROSS JOIN LATERAL (
         SELECT f.error_kind, f.error_message, f.error_stack FROM jobs.finished_jobs f
          WHERE f.id = p.id AND f.state = 'dead' LIMIT 1) e
       ORDER BY p.id DESC
      """;

  /** Groups whose newest job is older than {@code before}, newest first. */
  Found findGroups(int projectId, long before, int limit) {
    return IndexReads.in(
        jdbi,
        h -> {
          int[] known = new int[1];
          List<DeadLetterGroup> groups =
              h.createQuery(FIND_GROUPS)
                  .bind("project", projectId)
                  .bind("mostGroups", MOST_GROUPS)
                  .bind("mostCounted", MOST_COUNTED)
                  .bind("before", before)
                  .bind("limit", limit)
                  .map(
                      (row, c) -> {
                        known[0] = row.getInt("known");
                        return groupOf(row);
                      })
                  .list();
          return new Found(groups, known[0]);
        });
  }

  private static DeadLetterGroup groupOf(ResultSet row) throws SQLException {
    Long[] samples = (Long[]) row.getArray("samples").getArray();
    String message = row.getString("error_message");
    return new DeadLetterGroup(
        row.getString("fingerprint"),
        row.getString("error_kind"),
        message == null ? null : NormalMessage.of(message),
        message,
        row.getString("top_frame"),
        row.getObject("first_seen", OffsetDateTime.class).toInstant(),
        row.getObject("last_seen", OffsetDateTime.class).toInstant(),
        Count.of(row.getLong("counted"), MOST_COUNTED),
        Arrays.stream(samples).map(id -> Long.toString(id)).toList());
  }

  // One ordered scan over the partitions; oldest first, so that what failed first goes first.
  private static final String OLDEST_OF_GROUP =
      """
      SELECT f.id FROM jobs.finished_jobs f
       WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint = :fingerprint
       ORDER BY f.id LIMIT :limit
      """;

  List<Long> oldestOfGroup(int projectId, String fingerprint, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(OLDEST_OF_GROUP)
                .bind("project", projectId)
                .bind("fingerprint", fingerprint)
                .bind("limit", limit)
                .mapTo(Long.class)
                .list());
  }

  private static final String COUNT_GROUP =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.finished_jobs f
         WHERE f.project_id = :project AND f.state = 'dead' AND f.error_fingerprint = :fingerprint
         LIMIT :most) counted
      """;

  Count countGroup(int projectId, String fingerprint) {
    return IndexReads.in(
        jdbi,
        h ->
            Count.of(
                h.createQuery(COUNT_GROUP)
                    .bind("project", projectId)
                    .bind("fingerprint", fingerprint)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }
}
