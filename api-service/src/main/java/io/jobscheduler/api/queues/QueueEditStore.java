package io.jobscheduler.api.queues;

import io.jobscheduler.api.database.Patience;
import io.jobscheduler.api.http.Etag;
import io.jobscheduler.api.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * What changes queues. Lock order: the queue's row, then (inside the functions that set limits and
 * pause) the gate of all claims and the queue's own lock, so two changes cannot wait for each
 * other.
 */
@ApplicationScoped
class QueueEditStore {
  private final Jdbi jdbi;

  QueueEditStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Settings, and which queue they are of. */
  private record Row(int id, QueueSettings settings, String etag) {}

  // A queue that is new has no claim in flight, so its first limits may come with the row.
  private static final String INSERT_QUEUE =
      """
      INSERT INTO jobs.queues (project_id, name, weight, max_concurrency, per_key_concurrency, rate_limit,
          rate_period_ms, rate_burst, max_depth, ageing_ms, retry_policy, timeout_ms, retain_finished_days,
          retain_dead_days)
      VALUES (:project, :name, :weight, :maxConcurrency, :perKey, :rateLimit, :ratePeriod, :rateBurst, :maxDepth,
          :ageing, :retry::json, :timeout, :finishedDays, :deadDays)
      ON CONFLICT (project_id, name) DO NOTHING
      """;

  private static boolean insert(Handle h, int projectId, String name, QueueSettings settings) {
    int inserted =
        bind(h.createUpdate(INSERT_QUEUE), settings)
            .bind("project", projectId)
            .bind("name", name)
            .bind("maxConcurrency", settings.maxConcurrency())
            .bind("perKey", settings.perKeyConcurrency())
            .bind("ageing", millis(settings.aging()))
            .execute();
    if (inserted > 0 && !settings.searchablePaths().isEmpty()) {
      setPaths(h, lock(h, projectId, name, false).orElseThrow().id(), settings);
    }
    return inserted > 0;
  }

  /**
   * Creates or replaces a queue; true when it is new, or was deleted.
   *
   * @param ifMatch the tag that it must have; then it must exist
   * @throws ProblemException 412
   */
  boolean putQueue(int projectId, String name, QueueSettings settings, @Nullable String ifMatch) {
    return Patience.in(
        jdbi,
        h -> {
          if (ifMatch == null && insert(h, projectId, name, settings)) {
            return true;
          }
          Row before = lock(h, projectId, name, ifMatch == null).orElseThrow(Etag::stale);
          Etag.require(ifMatch, before.etag());
          boolean revived = update(h, before.id(), settings);
          setPaths(h, before.id(), settings);
          setLimits(h, before.id(), settings);
          return revived;
        });
  }

  /**
   * Changes what {@code given} names; whether there is such a queue.
   *
   * @param ifMatch the tag that it must have
   * @throws ProblemException 412
   */
  boolean patchQueue(
      int projectId,
      String name,
      QueueSettings change,
      Set<String> given,
      @Nullable String ifMatch) {
    return Patience.in(
        jdbi,
        h -> {
          Row before = lock(h, projectId, name, false).orElse(null);
          if (before == null) {
            return false;
          }
          Etag.require(ifMatch, before.etag());
          QueueSettings settings = change.over(before.settings(), given);
          update(h, before.id(), settings);
          setPaths(h, before.id(), settings);
          setLimits(h, before.id(), settings);
          return true;
        });
  }

  // The version is that of the row as it is once the lock is held: who waited for another edit
  // reads what that one has left.
  private static final String LOCK_QUEUE =
      """
      SELECT q.id, q.weight, q.max_concurrency, q.per_key_concurrency, q.rate_limit, q.rate_period_ms,
             q.rate_burst, q.max_depth, q.ageing_ms, q.retry_policy::text AS retry_policy, q.timeout_ms,
             q.retain_finished_days, q.retain_dead_days, q.search_paths,
             (extract(epoch FROM q.updated_at) * 1000000)::bigint AS version
        FROM jobs.queues q
       WHERE q.project_id = :project AND q.name = :name AND (:deleted OR q.deleted_at IS NULL)
         FOR NO KEY UPDATE
      """;

  private static Optional<Row> lock(Handle h, int projectId, String name, boolean deleted) {
    return h.createQuery(LOCK_QUEUE)
        .bind("project", projectId)
        .bind("name", name)
        .bind("deleted", deleted)
        .map((row, c) -> new Row(row.getInt("id"), settingsOf(row), etagOf(row)))
        .findOne();
  }

  private static final String UPDATE_QUEUE =
      """
      WITH before AS MATERIALIZED (SELECT q.deleted_at FROM jobs.queues q WHERE q.id = :queue)
      UPDATE jobs.queues q
         SET weight = :weight, max_depth = :maxDepth, retry_policy = :retry::json, timeout_ms = :timeout,
             retain_finished_days = :finishedDays, retain_dead_days = :deadDays, deleted_at = NULL,
             updated_at = clock_timestamp()
        FROM before
       WHERE q.id = :queue
      RETURNING before.deleted_at IS NOT NULL AS revived
      """;

  private static boolean update(Handle h, int queue, QueueSettings settings) {
    return bind(h.createQuery(UPDATE_QUEUE), settings)
        .bind("queue", queue)
        .mapTo(Boolean.class)
        .one();
  }

  // The functions compare: what does not differ takes no lock. Limits last: from then on claims
  // wait.
  private static final String SET_AGEING = "SELECT jobs.set_queue_ageing(:queue, :ageing)";

  private static final String SET_LIMITS =
      """
      SELECT jobs.set_queue_limits(:queue, :maxConcurrency, :perKey, :rateLimit, :ratePeriod, :rateBurst)
      """;

  private static void setLimits(Handle h, int queue, QueueSettings settings) {
    h.createQuery(SET_AGEING)
        .bind("queue", queue)
        .bind("ageing", millis(settings.aging()))
        .mapTo(Boolean.class)
        .one();
    rate(h.createQuery(SET_LIMITS), settings)
        .bind("queue", queue)
        .bind("maxConcurrency", settings.maxConcurrency())
        .bind("perKey", settings.perKeyConcurrency())
        .mapTo(Boolean.class)
        .one();
  }

  // Compares too, and locks nothing but the row.
  private static final String SET_SEARCH_PATHS = "SELECT jobs.set_search_paths(:queue, :paths)";

  private static void setPaths(Handle h, int queue, QueueSettings settings) {
    h.createQuery(SET_SEARCH_PATHS)
        .bind("queue", queue)
        .bindArray("paths", String.class, settings.searchablePaths().toArray())
        .mapTo(Boolean.class)
        .one();
  }

  private static <S extends SqlStatement<S>> S bind(S statement, QueueSettings settings) {
    rate(statement, settings);
    return statement
        .bind("weight", settings.weight())
        .bind("maxDepth", settings.maxDepth())
        .bind("retry", settings.retry())
        .bind("timeout", millis(settings.timeout()))
        .bind("finishedDays", settings.finishedDays())
        .bind("deadDays", settings.deadDays());
  }

  private static <S extends SqlStatement<S>> S rate(S statement, QueueSettings settings) {
    QueueSettings.RateLimit rate = settings.rateLimit();
    return statement
        .bind("rateLimit", rate == null ? null : rate.limit())
        .bind("ratePeriod", rate == null ? null : millis(rate.period()))
        .bind("rateBurst", rate == null ? null : rate.burst());
  }

  /** What became of a wish to delete a queue. */
  enum Deletion {
    DELETED,
    NOT_FOUND,
    HOLDS_JOBS,
    HAS_SCHEDULES
  }

  // The row stays: ended jobs name it, and an enqueue in flight may still bring a job, which then
  // is served like any other. One probe of each state's partial index.
  private static final String DELETE_QUEUE =
      """
      UPDATE jobs.queues q
         SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
       WHERE q.id = :queue
         AND NOT EXISTS (SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'ready')
         AND NOT EXISTS (SELECT 1 FROM jobs.jobs j WHERE j.queue_id = q.id AND j.state = 'running')
         AND NOT EXISTS (SELECT 1 FROM jobs.jobs j
                          WHERE j.queue_id = q.id AND j.state IN ('scheduled', 'blocked', 'retrying'))
      """;

  private static final String HAS_SCHEDULES =
      "SELECT EXISTS (SELECT 1 FROM jobs.schedules s WHERE s.queue_id = :queue)";

  /**
   * Deletes a queue in which nothing lives.
   *
   * @param ifMatch the tag that it must have
   * @throws ProblemException 412
   */
  Deletion deleteQueue(int projectId, String name, @Nullable String ifMatch) {
    return jdbi.inTransaction(
        h -> {
          Row row = lock(h, projectId, name, false).orElse(null);
          if (row == null) {
            return Deletion.NOT_FOUND;
          }
          Etag.require(ifMatch, row.etag());
          if (h.createQuery(HAS_SCHEDULES).bind("queue", row.id()).mapTo(Boolean.class).one()) {
            return Deletion.HAS_SCHEDULES;
          }
          return h.createUpdate(DELETE_QUEUE).bind("queue", row.id()).execute() > 0
              ? Deletion.DELETED
              : Deletion.HOLDS_JOBS;
        });
  }

  private static final String PAUSE_QUEUE =
      """
      SELECT jobs.pause_queue(q.id, :reason, :by, :until)
        FROM jobs.queues q
       WHERE q.project_id = :project AND q.name = :name AND q.deleted_at IS NULL
      """;

  /** Pauses a queue, or changes its pause; whether there is such a queue. */
  boolean pauseQueue(
      int projectId, String name, String reason, String by, @Nullable Instant until) {
    return jdbi.withHandle(
        h ->
            h.createQuery(PAUSE_QUEUE)
                .bind("project", projectId)
                .bind("name", name)
                .bind("reason", reason)
                .bind("by", by)
                .bind("until", until)
                .map((row, c) -> true)
                .findOne()
                .isPresent());
  }

  private static final String RESUME_QUEUE =
      """
      SELECT jobs.resume_queue(q.id)
        FROM jobs.queues q
       WHERE q.project_id = :project AND q.name = :name AND q.deleted_at IS NULL
      """;

  /** Ends a pause if there is one; whether there is such a queue. */
  boolean resumeQueue(int projectId, String name) {
    return jdbi.withHandle(
        h ->
            h.createQuery(RESUME_QUEUE)
                .bind("project", projectId)
                .bind("name", name)
                .mapTo(Boolean.class)
                .findOne()
                .isPresent());
  }

  static String etagOf(ResultSet row) throws SQLException {
    return Etag.of(row.getInt("id"), row.getLong("version"));
  }

  static QueueSettings settingsOf(ResultSet row) throws SQLException {
    Integer rate = row.getObject("rate_limit", Integer.class);
    return new QueueSettings(
        row.getInt("weight"),
        row.getObject("max_concurrency", Integer.class),
        row.getObject("per_key_concurrency", Integer.class),
        rate == null
            ? null
            : new QueueSettings.RateLimit(
                rate, Duration.ofMillis(row.getLong("rate_period_ms")), row.getInt("rate_burst")),
        row.getObject("max_depth", Integer.class),
        duration(row.getObject("ageing_ms", Long.class)),
        row.getString("retry_policy"),
        duration(row.getObject("timeout_ms", Long.class)),
        row.getObject("retain_finished_days", Integer.class),
        row.getObject("retain_dead_days", Integer.class),
        List.of((String[]) row.getArray("search_paths").getArray()));
  }

  private static @Nullable Duration duration(@Nullable Long millis) {
    return millis == null ? null : Duration.ofMillis(millis);
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
