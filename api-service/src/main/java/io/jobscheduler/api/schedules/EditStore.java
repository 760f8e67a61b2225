package io.jobscheduler.api.schedules;

import io.jobscheduler.api.jobs.JobColumns;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.schedule.times.TimeZones;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** SQL that writes what people set of schedules. */
@ApplicationScoped
class EditStore {

  // A name that is taken inserts nothing; the caller counts.
  private static final String INSERT_SCHEDULE =
      """
      INSERT INTO jobs.schedules (project_id, name, description, kind, expression, dialect, every_ms, anchor, time_zone,
          start_at, end_at, max_runs, exclusions, jitter_ms, misfire_policy, max_catch_up, catch_up_window_ms,
          overlap_policy, queue_bound, auto_pause_after, template, job_type, queue_id, payload, priority, max_attempts,
          retry_policy, timeout_ms, start_within_ms, cost, concurrency_key, tags, metadata, workflow, state, planned_to,
          next_fire_at, tzdb_version)
      VALUES (:project, :name, :description, :kind, :expression, :dialect, :every, :anchor::timestamptz, :zone,
          :startAt::timestamptz, :endAt::timestamptz, :maxRuns, :exclusions::text[]::date[], :jitter, :misfire,
          :maxCatchUp, :window, :overlap, :bound, :autoPause, :template, :type, :queue, :payload::json, :priority,
          :maxAttempts, :retry::json, :timeout, :startWithin, :cost, :key, :tags::text[], :metadata::json, :workflow::json, :state,
          :plannedTo::timestamptz, :next::timestamptz, :tzdb)
      ON CONFLICT (project_id, name) DO NOTHING
      """;

  boolean insertSchedule(
      Handle h,
      int projectId,
      String name,
      ScheduleRequest request,
      Standing standing,
      Map<String, Integer> queues) {
    return bind(h.createUpdate(INSERT_SCHEDULE), request, standing, queues)
            .bind("project", projectId)
            .bind("name", name)
            .execute()
        > 0;
  }

  // The caller has locked the row, and authorised it together with its project.
  private static final String UPDATE_SCHEDULE =
      """
      UPDATE jobs.schedules s
         SET description = :description, version = s.version + 1, updated_at = clock_timestamp(), kind = :kind,
             expression = :expression, dialect = :dialect, every_ms = :every, anchor = :anchor::timestamptz,
             time_zone = :zone, start_at = :startAt::timestamptz, end_at = :endAt::timestamptz, max_runs = :maxRuns,
             exclusions = :exclusions::text[]::date[], jitter_ms = :jitter, misfire_policy = :misfire,
             max_catch_up = :maxCatchUp, catch_up_window_ms = :window, overlap_policy = :overlap,
             queue_bound = :bound, auto_pause_after = :autoPause, template = :template, job_type = :type,
             queue_id = :queue, payload = :payload::json, priority = :priority, max_attempts = :maxAttempts,
             retry_policy = :retry::json, timeout_ms = :timeout, start_within_ms = :startWithin, cost = :cost,
             concurrency_key = :key, tags = :tags::text[], metadata = :metadata::json, workflow = :workflow::json, state = :state, disabled_reason = NULL,
             planned_to = :plannedTo::timestamptz, next_fire_at = :next::timestamptz, tzdb_version = :tzdb
       WHERE s.id = :id AND s.project_id = :project
      """;

  void updateSchedule(
      Handle h,
      int projectId,
      int id,
      ScheduleRequest request,
      Standing standing,
      Map<String, Integer> queues) {
    bind(h.createUpdate(UPDATE_SCHEDULE), request, standing, queues)
        .bind("project", projectId)
        .bind("id", id)
        .execute();
  }

  private static <S extends SqlStatement<S>> S bind(
      S statement, ScheduleRequest request, Standing standing, Map<String, Integer> queues) {
    ScheduleRule rule = request.rule();
    return bindTemplate(statement, request, queues)
        .bind("description", request.description())
        .bind("kind", rule.every() == null ? "cron" : "interval")
        .bind("expression", rule.cron())
        .bind("dialect", rule.dialect() == null ? null : Words.of(rule.dialect()))
        .bind("every", millis(rule.every()))
        .bind("anchor", text(rule.anchor()))
        .bind("zone", rule.timeZone())
        .bind("startAt", text(rule.startAt()))
        .bind("endAt", text(rule.endAt()))
        .bind("maxRuns", request.maxRuns())
        .bindArray(
            "exclusions", String.class, rule.exclusions().stream().map(Object::toString).toArray())
        .bind("jitter", request.jitter().toMillis())
        .bind("misfire", Words.of(request.misfire().policy()))
        .bind("maxCatchUp", request.misfire().maxCatchUp())
        .bind("window", request.misfire().catchUpWindow().toMillis())
        .bind("overlap", Words.of(request.overlap()))
        .bind("bound", request.queueBound())
        .bind("autoPause", request.autoPauseAfter())
        .bind("state", standing.state())
        .bind("plannedTo", standing.plannedTo().toString())
        .bind("next", text(standing.next()))
        .bind("tzdb", TimeZones.version());
  }

  private static <S extends SqlStatement<S>> S bindTemplate(
      S statement, ScheduleRequest request, Map<String, Integer> queues) {
    JobRequest job = request.job();
    return statement
        .bind("template", job == null ? "workflow" : "job")
        .bind("type", job == null ? null : job.type())
        .bind("queue", job == null ? null : queues.get(job.queue()))
        .bind("payload", job == null ? null : job.payload())
        .bind("priority", job == null ? JobRequest.DEFAULT_PRIORITY : job.priority())
        .bind("maxAttempts", job == null ? null : job.maxAttempts())
        .bind("retry", job == null ? null : job.retryPolicy())
        .bind("timeout", job == null ? null : job.options().timeoutMillis())
        .bind("startWithin", millis(request.startWithin()))
        .bind("cost", job == null ? 1 : job.options().cost())
        .bind("key", job == null ? null : job.options().concurrencyKey())
        .bind("tags", job == null ? null : JobColumns.tagsText(job.extras().tags()))
        .bind("metadata", job == null ? null : job.extras().metadata())
        .bind(
            "workflow",
            request.workflow() == null ? null : WorkflowJson.write(request.workflow(), queues));
  }

  private static final String DELETE_SCHEDULE =
      """
      DELETE FROM jobs.schedules s WHERE s.id = :id AND s.project_id = :project
      """;

  void deleteSchedule(Handle h, int projectId, int id) {
    h.createUpdate(DELETE_SCHEDULE).bind("id", id).bind("project", projectId).execute();
  }

  // The row is locked by the caller. planned_to stays: what falls into the pause is passed over
  // when it ends.
  private static final String PAUSE_SCHEDULE =
      """
      UPDATE jobs.schedules s
         SET version = s.version + 1, updated_at = clock_timestamp(), state = 'paused',
             paused_at = coalesce(s.paused_at, clock_timestamp()), paused_by = :by, pause_reason = :reason,
             paused_until = :until::timestamptz, next_fire_at = NULL
       WHERE s.id = :id AND s.project_id = :project
      """;

  void pauseSchedule(
      Handle h,
      int projectId,
      int id,
      String by,
      @Nullable String reason,
      @Nullable Instant until) {
    h.createUpdate(PAUSE_SCHEDULE)
        .bind("id", id)
        .bind("project", projectId)
        .bind("by", by)
        .bind("reason", reason)
        .bind("until", text(until))
        .execute();
  }

  // The row is locked by the caller. Failures from before it are forgiven.
  private static final String RESUME_SCHEDULE =
      """
      UPDATE jobs.schedules s
         SET version = s.version + 1, updated_at = clock_timestamp(), state = :state, paused_at = NULL,
             paused_by = NULL, pause_reason = NULL, paused_until = NULL, disabled_reason = NULL,
             failures_since = clock_timestamp(), planned_to = :plannedTo::timestamptz,
             next_fire_at = :next::timestamptz, tzdb_version = :tzdb
       WHERE s.id = :id AND s.project_id = :project
      """;

  void resumeSchedule(Handle h, int projectId, int id, Standing standing) {
    h.createUpdate(RESUME_SCHEDULE)
        .bind("id", id)
        .bind("project", projectId)
        .bind("state", standing.state())
        .bind("plannedTo", standing.plannedTo().toString())
        .bind("next", text(standing.next()))
        .bind("tzdb", TimeZones.version())
        .execute();
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
