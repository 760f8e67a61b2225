package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * SQL that finds a queue's jobs by what their payloads hold at a declared path; to be run inside
 * IndexReads.
 */
@ApplicationScoped
class JobTermStore {
  /** Rows of the index that one page looks behind. */
  static final int HITS = 250;

  /** A declared path that was asked for; jobs from id {@code since} on are in the index. */
  record Declared(int queueId, JobSearch.PayloadMatch match, long since) {}

  private static final String FIND_DECLARED =
      """
      SELECT m.path, m.value, p.since
        FROM jobs.queues q
       CROSS JOIN unnest(q.search_paths, q.search_since) AS p (path, since)
        JOIN unnest(:paths::text[], :values::text[]) AS m (path, value) ON m.path = p.path
       WHERE q.id = :queue
       ORDER BY p.since LIMIT 1
      """;

  /** Of those asked for the one that has been declared longest. */
  Optional<Declared> findDeclared(Handle h, int queueId, JobSearch search) {
    return search
        .bindTo(h.createQuery(FIND_DECLARED))
        .bind("queue", queueId)
        .map(
            (row, c) ->
                new Declared(
                    queueId,
                    new JobSearch.PayloadMatch(row.getString("path"), row.getString("value")),
                    row.getLong("since")))
        .findOne();
  }

  // By the primary key of search_terms, backwards; the inner LIMIT bounds the jobs that are looked
  // at, by their own primary keys and in that order, so the outer one stops when the page is full.
  // A term is a hint: the payload decides.
  private static final String TERM_MATCHES =
      """
      SELECT m.id
        FROM (SELECT s.queue_id, s.term, s.job_id FROM jobs.search_terms s
               WHERE s.queue_id = :queue AND s.term = jobs.search_term(:path, :value)
                 AND s.job_id >= :since AND s.job_id < :before
               ORDER BY s.queue_id DESC, s.term DESC, s.job_id DESC LIMIT :hits) t
       CROSS JOIN LATERAL (
         SELECT l.id FROM jobs.all_jobs l
          WHERE l.id = t.job_id AND l.project_id = :project AND l.queue_id = :queue AND l.state = ANY (:states)
            AND (:type::text IS NULL OR l.type = :type)
            AND (:workflow::int IS NULL OR l.workflow_id = :workflow)
            AND (:schedule::int IS NULL OR l.schedule_id = :schedule)
            AND (:worker::bigint IS NULL OR l.worker_id = :worker)
            AND (:error::text IS NULL OR l.error_fingerprint = :error)
            AND (:tag::text IS NULL OR l.tags @> ARRAY[:tag::text])
            AND (:createdAfter::timestamptz IS NULL OR l.created_at >= :createdAfter::timestamptz)
            AND (:createdBefore::timestamptz IS NULL OR l.created_at < :createdBefore::timestamptz)
            AND NOT EXISTS (
                  SELECT 1 FROM unnest(:paths::text[], :values::text[]) AS m (path, value)
                   WHERE jobs.payload_at(l.payload, m.path) IS DISTINCT FROM m.value)) m
       ORDER BY t.queue_id DESC, t.term DESC, t.job_id DESC LIMIT :limit
      """;

  List<Long> termMatches(Handle h, Scope scope, JobSearchStore.Sought sought, Declared declared) {
    return sought
        .bindTo(scope.bindTo(h.createQuery(TERM_MATCHES)))
        .bind("queue", declared.queueId())
        .bind("path", declared.match().path())
        .bind("value", declared.match().value())
        .bind("since", declared.since())
        .bind("error", sought.error())
        .bind("hits", hits(scope))
        .mapTo(Long.class)
        .list();
  }

  private static final String TERM_BEYOND =
      """
      SELECT coalesce(max(b.job_id), 0) FROM (
        SELECT s.job_id FROM jobs.search_terms s
         WHERE s.queue_id = :queue AND s.term = jobs.search_term(:path, :value)
           AND s.job_id >= :since AND s.job_id < :before
         ORDER BY s.queue_id DESC, s.term DESC, s.job_id DESC OFFSET :hits LIMIT 1) b
      """;

  long termBeyond(Handle h, Scope scope, long before, Declared declared) {
    return h.createQuery(TERM_BEYOND)
        .bind("queue", declared.queueId())
        .bind("path", declared.match().path())
        .bind("value", declared.match().value())
        .bind("since", declared.since())
        .bind("before", before)
        .bind("hits", hits(scope))
        .mapTo(Long.class)
        .one();
  }

  private static int hits(Scope scope) {
    return Math.min(scope.scanned(), HITS);
  }
}
