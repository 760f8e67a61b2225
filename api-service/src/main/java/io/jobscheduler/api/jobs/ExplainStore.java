package io.jobscheduler.api.jobs;

import static io.jobscheduler.api.jobs.EnqueueStore.instant;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** SQL that tells why a job does not run; to be run inside IndexReads. */
@ApplicationScoped
class ExplainStore {
  /** How many of the jobs that run in a full place are named. */
  static final int HOLDERS = 10;

  /** How many of the jobs that are waited for are named. */
  static final int DEPENDENCIES = 50;

  /** What jobs.explain_job says. */
  record Standing(
      String state,
      @Nullable String stateReason,
      int queueId,
      String queue,
      String project,
      @Nullable Instant runAt,
      @Nullable String gate,
      List<String> blockers,
      Pause queuePause,
      Pause workflowPause,
      @Nullable Integer maxConcurrency,
      long running,
      @Nullable Integer perKeyConcurrency,
      @Nullable String concurrencyKey,
      long keyRunning,
      @Nullable Integer rateLimit,
      @Nullable Instant tokenAt,
      @Nullable Integer before,
      @Nullable Instant estimatedAt) {}

  /** Since when, until when, by whom and why something is paused. */
  record Pause(
      @Nullable Instant since,
      @Nullable Instant until,
      @Nullable String by,
      @Nullable String reason) {}

  // One function, which judges by what the claim judges by.
  private static final String FIND_STANDING =
      """
      SELECT e.state, e.state_reason, e.queue_id, e.queue, e.project, e.run_at, e.gate, e.blockers,
             e.queue_paused_at, e.queue_resume_at, e.queue_paused_by, e.queue_pause_reason,
             e.workflow_paused_at, e.workflow_paused_by, e.workflow_pause_reason,
             e.max_concurrency, coalesce(e.running, 0) AS running, e.per_key_concurrency, e.concurrency_key,
             coalesce(e.key_running, 0) AS key_running, e.rate_limit, e.token_at, e.before, e.estimated_at
        FROM jobs.explain_job(:project, :job) e
      """;

  Optional<Standing> findStanding(Handle h, int projectId, long job) {
    return h.createQuery(FIND_STANDING)
        .bind("project", projectId)
        .bind("job", job)
        .map((row, c) -> standingOf(row))
        .findOne();
  }

  // Any that run there, by jobs_running.
  private static final String RUNNING_IN_QUEUE =
      """
      SELECT j.id FROM jobs.jobs j WHERE j.queue_id = :queue AND j.state = 'running' LIMIT :most
      """;

  List<String> runningInQueue(Handle h, int queueId) {
    return h.createQuery(RUNNING_IN_QUEUE)
        .bind("queue", queueId)
        .bind("most", HOLDERS)
        .mapTo(String.class)
        .list();
  }

  // By jobs_running_key, as the claim counts them.
  private static final String RUNNING_WITH_KEY =
      """
      SELECT j.id FROM jobs.jobs j
       WHERE j.queue_id = :queue AND j.concurrency_key = :key AND j.state = 'running' LIMIT :most
      """;

  List<String> runningWithKey(Handle h, int queueId, String key) {
    return h.createQuery(RUNNING_WITH_KEY)
        .bind("queue", queueId)
        .bind("key", key)
        .bind("most", HOLDERS)
        .mapTo(String.class)
        .list();
  }

  // Unmet edges by dependencies_unmet, their parents by id wherever they live; of another project,
  // or
  // of a queue that a key does not reach, there is no edge to be seen through.
  private static final String UNMET =
      """
      SELECT p.id, p.workflow_key, coalesce(p.state, d.outcome) AS state, d.on_outcome
        FROM (SELECT e.child_id, e.parent_id, e.outcome, e.on_outcome FROM jobs.dependencies e
               WHERE e.child_id = :job AND NOT e.met LIMIT :most) d
        LEFT JOIN LATERAL (
          SELECT a.id, a.workflow_key, a.state FROM jobs.all_jobs a
           WHERE a.id = d.parent_id AND a.project_id = :project
             AND (:queues::int[] IS NULL OR a.queue_id = ANY (:queues))) p ON true
      """;

  List<Explanation.Dependency> unmet(
      Handle h, int projectId, long job, @Nullable Collection<Integer> queues) {
    return h.createQuery(UNMET)
        .bind("project", projectId)
        .bind("job", job)
        .bindByType(
            "queues", queues == null ? null : queues.toArray(new Integer[0]), Integer[].class)
        .bind("most", DEPENDENCIES)
        .map(
            (row, c) ->
                new Explanation.Dependency(
                    row.getString("id"),
                    row.getString("workflow_key"),
                    row.getString("state"),
                    row.getString("on_outcome")))
        .list();
  }

  // One row per process start that the leader has not forgotten yet.
  private static final String COUNT_WORKERS =
      """
      SELECT count(*) FILTER (WHERE NOT d.draining) AS serving,
             count(*) FILTER (WHERE d.draining) AS draining,
             coalesce(sum(w.slots) FILTER (WHERE NOT d.draining), 0) AS slots,
             coalesce(sum(w.running) FILTER (WHERE NOT d.draining), 0) AS running
        FROM jobs.workers w
       CROSS JOIN LATERAL (
         SELECT w.draining OR EXISTS (SELECT 1 FROM jobs.worker_drains a WHERE a.worker_id = w.id)
                  AS draining) d
       WHERE w.lost_at IS NULL AND w.stopped_at IS NULL AND jobs.serves(w.queues, :project, :queue)
      """;

  Explanation.Fleet countWorkers(Handle h, String project, String queue) {
    return h.createQuery(COUNT_WORKERS)
        .bind("project", project)
        .bind("queue", queue)
        .map(
            (row, c) ->
                new Explanation.Fleet(
                    row.getInt("serving"),
                    row.getInt("draining"),
                    row.getInt("slots"),
                    row.getInt("running")))
        .one();
  }

  private static Standing standingOf(ResultSet row) throws SQLException {
    return new Standing(
        row.getString("state"),
        row.getString("state_reason"),
        row.getInt("queue_id"),
        row.getString("queue"),
        row.getString("project"),
        at(row, "run_at"),
        row.getString("gate"),
        List.of((String[]) row.getArray("blockers").getArray()),
        new Pause(
            at(row, "queue_paused_at"),
            at(row, "queue_resume_at"),
            row.getString("queue_paused_by"),
            row.getString("queue_pause_reason")),
        new Pause(
            at(row, "workflow_paused_at"),
            null,
            row.getString("workflow_paused_by"),
            row.getString("workflow_pause_reason")),
        row.getObject("max_concurrency", Integer.class),
        row.getLong("running"),
        row.getObject("per_key_concurrency", Integer.class),
        row.getString("concurrency_key"),
        row.getLong("key_running"),
        row.getObject("rate_limit", Integer.class),
        at(row, "token_at"),
        row.getObject("before", Integer.class),
        at(row, "estimated_at"));
  }

  private static @Nullable Instant at(ResultSet row, String column) throws SQLException {
    return instant(row.getObject(column, OffsetDateTime.class));
  }
}
