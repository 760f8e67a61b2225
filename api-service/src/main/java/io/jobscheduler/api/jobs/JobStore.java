package io.jobscheduler.api.jobs;

import static io.jobscheduler.api.jobs.EnqueueStore.instant;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that reads single jobs. */
@ApplicationScoped
public class JobStore {
  private static final int SUMMARY_CHARACTERS = 200;

  private final Jdbi jdbi;

  JobStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // One statement looks into both tables, so a job that moves meanwhile is seen once. A live job
  // shows
  // the error of its last failed attempt: one probe of the attempts' primary key, for those that
  // have
  // any. Progress and the request to cancel belong to the attempt that runs: an earlier one's are
  // passed
  // over. The project stands in the predicate: another project's id finds nothing.
  private static final String FIND_JOB =
      """
      SELECT j.id, j.type, q.name AS queue, j.state, j.state_reason, j.priority, j.attempt, j.max_attempts,
             j.created_at, j.run_at, j.ready_at, j.started_at, j.finished_at, j.workflow_id, j.workflow_key,
             j.worker_id, j.lease_token, j.payload::text AS payload, j.result::text AS result,
             coalesce(j.retry_policy, q.retry_policy)::text AS retry_policy,
             coalesce(j.timeout_ms, q.timeout_ms) AS timeout_ms, j.start_by, j.cost, j.concurrency_key,
             j.row_version, j.tags, j.metadata::text AS metadata, j.traceparent, j.unique_key, j.unique_until, j.join_mode,
             j.gate,
             j.generation, (SELECT s.name FROM jobs.schedules s WHERE s.id = j.schedule_id) AS schedule, j.planned_at, c.requested_at AS cancel_requested_at,
             p.fraction, p.message AS progress_message, p.updated_at AS progress_at,
             coalesce(j.error_kind, e.error_kind) AS error_kind,
             CASE WHEN j.error_kind IS NULL THEN e.error_message ELSE j.error_message END AS error_message,
             CASE WHEN j.error_kind IS NULL THEN e.error_stack ELSE j.error_stack END AS error_stack
        FROM jobs.all_jobs j
        JOIN jobs.queues q ON q.id = j.queue_id
        LEFT JOIN LATERAL (
          SELECT a.error_kind, a.error_message, a.error_stack FROM jobs.attempts a
           WHERE j.attempt_rows > 0 AND j.finished_at IS NULL AND a.job_id = j.id
           ORDER BY a.lease_token DESC LIMIT 1) e ON true
        LEFT JOIN jobs.cancel_requests c ON c.job_id = j.id AND j.state = 'running'
        LEFT JOIN jobs.job_progress p ON p.job_id = j.id AND p.lease_token = j.lease_token
                                     AND j.state = 'running'
       WHERE j.id = :id AND j.project_id = :project
      """;

  /**
   * A job of the caller's project, with what the caller may see of it.
   *
   * @throws ProblemException 404
   */
  Job getJob(Grant grant, long id) {
    return findJob(grant, id, grant.payloadVisible())
        .orElseThrow(() -> ProblemException.notFound("job"));
  }

  /** A job of the caller's project, and of those that it waits for what the caller may see. */
  Optional<Job> findJob(Grant grant, long id, boolean payloadVisible) {
    return findJob(
        grant.projectId(), id, payloadVisible, grant.permits(Action.LEASES_READ), grant.queueIds());
  }

  /** A job of a project, with what the caller may see of it, who reaches every queue. */
  public Optional<Job> findJob(
      int projectId, long id, boolean payloadVisible, boolean leaseVisible) {
    return findJob(projectId, id, payloadVisible, leaseVisible, null);
  }

  private Optional<Job> findJob(
      int projectId,
      long id,
      boolean payloadVisible,
      boolean leaseVisible,
      @Nullable Collection<Integer> reached) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_JOB)
                .bind("project", projectId)
                .bind("id", id)
                .map(
                    (row, c) ->
                        jobOf(
                            row,
                            payloadVisible,
                            leaseVisible,
                            dependencies(h, projectId, id, reached),
                            reached != null))
                .findOne());
  }

  // By primary key, and that of the members. A job without any costs one probe. Of a parent that a
  // key
  // of some queues does not reach only that there is one.
  private static final String LIST_DEPENDENCIES =
      """
      SELECT CASE WHEN r.reached THEN d.parent_id END AS parent_id, CASE WHEN r.reached THEN m.key END AS key,
             d.on_outcome, d.outcome, d.met
        FROM jobs.dependencies d
       CROSS JOIN LATERAL (
         SELECT :queues::int[] IS NULL
                OR EXISTS (SELECT 1 FROM jobs.all_jobs a
                            WHERE a.id = d.parent_id AND a.project_id = :project AND a.queue_id = ANY (:queues))
                  AS reached) r
        LEFT JOIN jobs.workflow_members m ON m.workflow_id = d.workflow_id AND m.job_id = d.parent_id
       WHERE d.child_id = :id
       ORDER BY d.parent_id LIMIT :most
      """;

  private static List<JobGraph.Dependency> dependencies(
      Handle h, int projectId, long id, @Nullable Collection<Integer> reached) {
    return h.createQuery(LIST_DEPENDENCIES)
        .bind("id", id)
        .bind("project", projectId)
        .bindByType(
            "queues", reached == null ? null : reached.toArray(new Integer[0]), Integer[].class)
        .bind("most", JobGraph.MOST_SHOWN)
        .map(
            (row, c) ->
                new JobGraph.Dependency(
                    row.getString("parent_id"),
                    row.getString("key"),
                    row.getString("on_outcome"),
                    row.getString("outcome"),
                    row.getBoolean("met")))
        .list();
  }

  // The page's rows by id, wherever they live by now; newest first. Errors as above, cut in SQL so
  // that
  // no long text travels.
  private static final String LIST_SUMMARIES =
      """
      SELECT j.id, j.type, q.name AS queue, j.state, j.state_reason, j.priority, j.attempt, j.max_attempts,
             j.created_at, j.run_at, j.ready_at, j.started_at, j.finished_at, j.workflow_id, j.workflow_key,
             j.worker_id, coalesce(j.error_kind, e.error_kind) AS error_kind,
             left(CASE WHEN j.error_kind IS NULL THEN e.error_message ELSE j.error_message END, 200)
               AS error_message
        FROM jobs.all_jobs j
        JOIN jobs.queues q ON q.id = j.queue_id
        LEFT JOIN LATERAL (
          SELECT a.error_kind, a.error_message FROM jobs.attempts a
           WHERE j.attempt_rows > 0 AND j.finished_at IS NULL AND a.job_id = j.id
           ORDER BY a.lease_token DESC LIMIT 1) e ON true
       WHERE j.id = ANY (:ids) AND j.project_id = :project
       ORDER BY j.id DESC
      """;

  List<JobSummary> listSummaries(Handle h, int projectId, List<Long> ids) {
    return h.createQuery(LIST_SUMMARIES)
        .bind("project", projectId)
        .bindArray("ids", Long.class, ids.toArray())
        .map((row, c) -> summaryOf(row))
        .list();
  }

  // Attempts that did not end the job, or ended it before it was brought back (in the second table
  // once
  // it has ended), then the one that did, which is the job's own finished row, or the one that
  // runs.
  // One
  // that expired unstarted is none. Tokens grow, so they order; the newest 1,000, of which the
  // newest
  // 50 with their stack traces: at most 20 KB each, so an answer stays near a megabyte.
  private static final String LIST_ATTEMPTS =
      """
      SELECT t.generation, t.attempt, CASE t.outcome WHEN 'dead' THEN 'failed' ELSE t.outcome END AS outcome,
             t.worker_id, t.started_at, t.ended_at, t.error_kind, t.error_message,
             CASE WHEN row_number() OVER (ORDER BY t.lease_token DESC) <= 50 THEN t.error_stack END AS error_stack
        FROM (
          SELECT a.generation, a.attempt, a.outcome, a.worker_id, a.started_at, a.ended_at, a.error_kind,
                 a.error_message, a.error_stack, a.lease_token
            FROM jobs.attempts a WHERE a.job_id = :id
          UNION ALL
          SELECT a.generation, a.attempt, a.outcome, a.worker_id, a.started_at, a.ended_at, a.error_kind,
                 a.error_message, a.error_stack, a.lease_token
            FROM jobs.finished_attempts a WHERE a.job_id = :id
          UNION ALL
          SELECT f.generation, f.attempt, jobs.outcome_of_end(f.state, f.state_reason, f.error_kind), f.worker_id,
                 f.started_at, f.finished_at, f.error_kind, f.error_message, f.error_stack, f.lease_token
            FROM jobs.finished_jobs f
           WHERE f.id = :id AND f.lease_token IS NOT NULL AND f.started_at IS NOT NULL
          UNION ALL
          SELECT j.generation, j.attempt, 'running', j.worker_id, j.started_at, NULL, NULL, NULL, NULL, j.lease_token
            FROM jobs.jobs j WHERE j.id = :id AND j.state = 'running'
           ORDER BY lease_token DESC LIMIT 1000) t
       ORDER BY t.lease_token
      """;

  // By the primary key of the live table only: a job that is not there has ended, or is gone.
  private static final String LIST_LIVE =
      """
      SELECT j.id FROM jobs.jobs j WHERE j.id = ANY (:ids)
      """;

  /** Those of some jobs that have not ended. */
  Set<Long> listLive(Collection<Long> ids) {
    return jdbi.withHandle(
        h ->
            h
                .createQuery(LIST_LIVE)
                .bindArray("ids", Long.class, ids.toArray())
                .mapTo(Long.class)
                .stream()
                .collect(Collectors.toSet()));
  }

  private static final String JOB_EXISTS =
      """
      SELECT 1 FROM jobs.all_jobs j WHERE j.id = :id AND j.project_id = :project
      """;

  /** Oldest first; empty when the project has no such job. */
  Optional<List<Attempt>> listAttempts(int projectId, long id) {
    return jdbi.withHandle(
        h -> {
          Optional<Integer> found =
              h.createQuery(JOB_EXISTS)
                  .bind("project", projectId)
                  .bind("id", id)
                  .mapTo(Integer.class)
                  .findOne();
          return found.map(
              unused ->
                  h.createQuery(LIST_ATTEMPTS)
                      .bind("id", id)
                      .map((row, c) -> attemptOf(row))
                      .list());
        });
  }

  private static Job jobOf(
      ResultSet row,
      boolean payloadVisible,
      boolean leaseVisible,
      List<JobGraph.Dependency> dependencies,
      boolean narrowed)
      throws SQLException {
    JobSummary summary = summaryOf(row);
    Long timeout = row.getObject("timeout_ms", Long.class);
    return new Job(
        narrowed ? summary.withoutParents() : summary,
        payloadVisible ? row.getString("payload") : null,
        payloadVisible ? row.getString("result") : null,
        narrowed && summary.state().equals("skipped") ? null : JobError.of(row),
        RetryPolicy.ofStored(row.getString("retry_policy")),
        leaseVisible ? row.getString("lease_token") : null,
        new JobOptions(
            timeout == null ? null : Duration.ofMillis(timeout),
            instant(row.getObject("start_by", OffsetDateTime.class)),
            row.getInt("cost"),
            row.getString("concurrency_key")),
        new JobExtras(
            tagsOf(row.getArray("tags")), row.getString("metadata"), row.getString("traceparent")),
        Job.UniqueKey.of(row.getString("unique_key"), row.getString("unique_until")),
        row.getInt("generation"),
        row.getString("schedule"),
        instant(row.getObject("planned_at", OffsetDateTime.class)),
        instant(row.getObject("cancel_requested_at", OffsetDateTime.class)),
        progressOf(row, payloadVisible),
        new JobGraph(dependencies, row.getString("join_mode"), row.getString("gate")),
        row.getString("row_version"));
  }

  private static List<String> tagsOf(@Nullable Array tags) throws SQLException {
    return tags == null ? List.of() : List.of((String[]) tags.getArray());
  }

  /** What an attempt says of itself may quote its payload: only who sees that sees the words. */
  private static @Nullable JobProgress progressOf(ResultSet row, boolean payloadVisible)
      throws SQLException {
    Instant at = instant(row.getObject("progress_at", OffsetDateTime.class));
    return at == null
        ? null
        : new JobProgress(
            row.getObject("fraction", Double.class),
            payloadVisible ? row.getString("progress_message") : null,
            at);
  }

  private static JobSummary summaryOf(ResultSet row) throws SQLException {
    return new JobSummary(
        row.getString("id"),
        row.getString("type"),
        row.getString("queue"),
        row.getString("state"),
        row.getString("state_reason"),
        row.getInt("priority"),
        row.getInt("attempt"),
        row.getInt("max_attempts"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row.getObject("run_at", OffsetDateTime.class)),
        instant(row.getObject("ready_at", OffsetDateTime.class)),
        instant(row.getObject("started_at", OffsetDateTime.class)),
        instant(row.getObject("finished_at", OffsetDateTime.class)),
        row.getString("workflow_id"),
        row.getString("workflow_key"),
        row.getString("worker_id"),
        errorSummary(row.getString("error_kind"), row.getString("error_message")));
  }

  private static @Nullable String errorSummary(@Nullable String kind, @Nullable String message) {
    if (kind == null) {
      return null;
    }
    String text = message == null ? kind : kind + ": " + message;
    return text.length() <= SUMMARY_CHARACTERS ? text : text.substring(0, SUMMARY_CHARACTERS);
  }

  private static Attempt attemptOf(ResultSet row) throws SQLException {
    return new Attempt(
        row.getInt("generation"),
        row.getInt("attempt"),
        row.getString("outcome"),
        row.getString("worker_id"),
        instant(row.getObject("started_at", OffsetDateTime.class)),
        instant(row.getObject("ended_at", OffsetDateTime.class)),
        JobError.of(row));
  }
}
