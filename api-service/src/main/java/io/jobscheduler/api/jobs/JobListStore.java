package io.jobscheduler.api.jobs;

import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/**
 * SQL that finds the ids of a list's page, newest first; to be run inside IndexReads. Every
 * statement is bounded: by an index that gives the rows in order, or by the newest {@value
 * #SCANNED} rows of a kind.
 */
@ApplicationScoped
class JobListStore {
  /** Rows looked at per table and state when a filter has no index. */
  static final int SCANNED = 100_000;

  /** An ended job's id and state. */
  record Ended(long id, String state) {}

  /** A page out of a small set: how large the set is (capped), how many fit, and the page's ids. */
  record Slice(long found, long fitting, List<Long> ids) {}

  // By jobs_project, backwards. The inner LIMIT bounds what the filter looks at; its order is kept,
  // so
  // the outer LIMIT stops the scan when the page is full.
  private static final String LIVE_IDS =
      """
      SELECT l.id FROM (
        SELECT j.project_id, j.id, j.state, j.queue_id, j.type FROM jobs.jobs j
         WHERE j.project_id >= :project AND (j.project_id, j.id) < (:project, :before)
         ORDER BY j.project_id DESC, j.id DESC LIMIT :scanned) l
       WHERE l.state = ANY (:states)
         AND (:queues::int[] IS NULL OR l.queue_id = ANY (:queues))
         AND (:type::text IS NULL OR l.type = :type)
       ORDER BY l.project_id DESC, l.id DESC LIMIT :limit
      """;

  List<Long> liveIds(Handle h, Scope scope, List<String> states, long before, int limit) {
    return scope
        .bindTo(h.createQuery(LIVE_IDS))
        .bindArray("states", String.class, states.toArray())
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  private static final String COUNT_LIVE =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM (
          SELECT j.state, j.queue_id, j.type FROM jobs.jobs j
           WHERE j.project_id >= :project AND (j.project_id, j.id) <= (:project, 9223372036854775807)
           ORDER BY j.project_id DESC, j.id DESC LIMIT :scanned) l
         WHERE l.state = ANY (:states)
           AND (:queues::int[] IS NULL OR l.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR l.type = :type)
         LIMIT :most) counted
      """;

  long countLive(Handle h, Scope scope, List<String> states) {
    return scope
        .bindTo(h.createQuery(COUNT_LIVE))
        .bindArray("states", String.class, states.toArray())
        .bind("most", Count.CAP + 1)
        .mapTo(Long.class)
        .one();
  }

  // Jobs in the rarer live states, which may be the oldest of a long backlog, through the partial
  // indexes of their states, queue by queue. Complete when found <= cap; else the caller scans by
  // id.
  private static final String RARE_IDS =
      """
      WITH rare AS MATERIALIZED (
        SELECT r.id, r.queue_id, r.type
          FROM jobs.queues q
         CROSS JOIN LATERAL (
           SELECT j.id, j.queue_id, j.type FROM jobs.jobs j
            WHERE j.queue_id = q.id AND j.state = 'running' LIMIT :most) r
         WHERE q.project_id = :project AND 'running' = ANY (:states)
        UNION ALL
        SELECT w.id, w.queue_id, w.type
          FROM jobs.queues q
         CROSS JOIN unnest(:states::text[]) AS s (state)
         CROSS JOIN LATERAL (
           SELECT j.id, j.queue_id, j.type FROM jobs.jobs j
            WHERE j.queue_id = q.id AND j.state = s.state
              AND j.state IN ('scheduled', 'blocked', 'retrying') LIMIT :most) w
         WHERE q.project_id = :project
         LIMIT :most
      ), fitting AS MATERIALIZED (
        SELECT s.id FROM rare s
         WHERE (:queues::int[] IS NULL OR s.queue_id = ANY (:queues))
           AND (:type::text IS NULL OR s.type = :type))
      SELECT (SELECT count(*) FROM rare) AS found,
             (SELECT count(*) FROM fitting) AS fitting,
             ARRAY(SELECT f.id FROM fitting f WHERE f.id < :before ORDER BY f.id DESC LIMIT :limit) AS ids
      """;

  Slice rareIds(Handle h, Scope scope, List<String> states, long before, int limit) {
    return slice(
        scope
            .bindTo(h.createQuery(RARE_IDS))
            .bindArray("states", String.class, states.toArray())
            .bind("before", before)
            .bind("limit", limit)
            .bind("most", Count.CAP + 1));
  }

  // By finished_jobs_project_state and, as above, by nothing else: one ordered scan over the
  // partitions
  // per state.
  private static final String ENDED_IDS =
      """
      SELECT e.id, e.state
        FROM unnest(:states::text[]) AS s (state)
       CROSS JOIN LATERAL (
         SELECT b.id, b.state FROM (
           SELECT f.project_id, f.state, f.id, f.queue_id, f.type FROM jobs.finished_jobs f
            WHERE (f.project_id, f.state) >= (:project, s.state)
              AND (f.project_id, f.state, f.id) < (:project, s.state, :before)
            ORDER BY f.project_id DESC, f.state DESC, f.id DESC LIMIT :scanned) b
          WHERE (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
            AND (:type::text IS NULL OR b.type = :type)
          ORDER BY b.project_id DESC, b.state DESC, b.id DESC LIMIT :limit) e
       ORDER BY e.id DESC
      """;

  List<Ended> endedIds(Handle h, Scope scope, List<String> states, long before, int limit) {
    return scope
        .bindTo(h.createQuery(ENDED_IDS))
        .bindArray("states", String.class, states.toArray())
        .bind("before", before)
        .bind("limit", limit)
        .map((row, c) -> new Ended(row.getLong("id"), row.getString("state")))
        .list();
  }

  private static final String COUNT_ENDED =
      """
      SELECT count(*)
        FROM unnest(:states::text[]) AS s (state)
       CROSS JOIN LATERAL (
         SELECT 1 FROM (
           SELECT f.queue_id, f.type FROM jobs.finished_jobs f
            WHERE (f.project_id, f.state) >= (:project, s.state)
              AND (f.project_id, f.state, f.id) <= (:project, s.state, 9223372036854775807)
            ORDER BY f.project_id DESC, f.state DESC, f.id DESC LIMIT :scanned) b
          WHERE (:queues::int[] IS NULL OR b.queue_id = ANY (:queues))
            AND (:type::text IS NULL OR b.type = :type)
          LIMIT :most) e
      """;

  long countEnded(Handle h, Scope scope, List<String> states) {
    return scope
        .bindTo(h.createQuery(COUNT_ENDED))
        .bindArray("states", String.class, states.toArray())
        .bind("most", Count.CAP + 1)
        .mapTo(Long.class)
        .one();
  }

  // The first row that a bounded scan of live jobs did not look at; index only.
  private static final String LIVE_BEYOND =
      """
      SELECT coalesce(max(b.id), 0) FROM (
        SELECT j.id FROM jobs.jobs j
         WHERE j.project_id >= :project AND (j.project_id, j.id) < (:project, :before)
         ORDER BY j.project_id DESC, j.id DESC OFFSET :scanned LIMIT 1) b
      """;

  long liveBeyond(Handle h, Scope scope, long before) {
    return scope.bindTo(h.createQuery(LIVE_BEYOND)).bind("before", before).mapTo(Long.class).one();
  }

  private static final String ENDED_BEYOND =
      """
      SELECT coalesce(max(b.id), 0)
        FROM unnest(:states::text[]) AS s (state)
       CROSS JOIN LATERAL (
         SELECT f.id FROM jobs.finished_jobs f
          WHERE (f.project_id, f.state) >= (:project, s.state)
            AND (f.project_id, f.state, f.id) < (:project, s.state, :before)
          ORDER BY f.project_id DESC, f.state DESC, f.id DESC OFFSET :scanned LIMIT 1) b
      """;

  long endedBeyond(Handle h, Scope scope, List<String> states, long before) {
    return scope
        .bindTo(h.createQuery(ENDED_BEYOND))
        .bindArray("states", String.class, states.toArray())
        .bind("before", before)
        .mapTo(Long.class)
        .one();
  }

  static Slice slice(Query query) {
    return query
        .map(
            (row, c) -> {
              Array ids = row.getArray("ids");
              return new Slice(
                  row.getLong("found"),
                  row.getLong("fitting"),
                  Arrays.asList((Long[]) ids.getArray()));
            })
        .one();
  }
}
