package io.jobscheduler.api.schedules;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over backfills; the leader works them. */
@ApplicationScoped
class BackfillStore {
  private final Jdbi jdbi;

  BackfillStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // What the leader would do, by the function that it decides with. The caller has authorised the
  // schedule.
  private static final String TIMES_TO_RUN =
      """
      SELECT r.planned_at FROM jobs.backfill_runs(:schedule, :planned::text[]::timestamptz[], :reprocess) r
       WHERE r.run IS NOT NULL
       ORDER BY r.planned_at
      """;

  List<Instant> timesToRun(
      Handle h, int schedule, List<Instant> planned, BackfillRequest.Reprocess reprocess) {
    return h.createQuery(TIMES_TO_RUN)
        .bind("schedule", schedule)
        .bindArray("planned", String.class, planned.stream().map(Instant::toString).toArray())
        .bind("reprocess", Words.of(reprocess))
        .map((row, c) -> Columns.required(row, "planned_at"))
        .list();
  }

  // The caller has locked the schedule, and authorised it together with its project.
  private static final String INSERT_BACKFILL =
      """
      INSERT INTO jobs.backfills (schedule_id, range_from, range_to, overlap_policy, reprocess, priority, planned,
          requested_by)
      VALUES (:schedule, :from::timestamptz, :to::timestamptz, :overlap, :reprocess, :priority, :planned, :by)
      RETURNING id
      """;

  int insertBackfill(
      Handle h, int schedule, BackfillRequest request, Instant to, int planned, String by) {
    return h.createQuery(INSERT_BACKFILL)
        .bind("schedule", schedule)
        .bind("from", request.from().toString())
        .bind("to", to.toString())
        .bind("overlap", Words.of(request.overlap()))
        .bind("reprocess", Words.of(request.reprocess()))
        .bind("priority", request.priority())
        .bind("planned", planned)
        .bind("by", by)
        .mapTo(Integer.class)
        .one();
  }

  // By backfills_schedule; what waits by schedule_fires_backfill, at most 1,000 each.
  private static final String LIST_BACKFILLS =
      """
      SELECT b.id, b.range_from, b.range_to, b.overlap_policy, b.reprocess, b.priority, b.state, b.planned, b.accepted,
             b.skipped, b.left_alone, b.requested_by, b.created_at, b.finished_at, b.error,
             CASE b.state WHEN 'running' THEN (
               SELECT count(*) FROM jobs.schedule_fires f WHERE f.backfill_id = b.id AND f.outcome = 'queued')
               ELSE 0 END AS waiting
        FROM jobs.backfills b
        JOIN jobs.schedules s ON s.id = b.schedule_id
       WHERE b.schedule_id = :schedule AND s.project_id = :project AND b.id < :before
         AND (:id::int IS NULL OR b.id = :id)
       ORDER BY b.schedule_id DESC, b.id DESC
       LIMIT :limit
      """;

  List<Backfill> listBackfills(int projectId, int schedule, long before, int limit) {
    return query(projectId, schedule, null, before, limit);
  }

  Optional<Backfill> findBackfill(int projectId, int schedule, int id) {
    return query(projectId, schedule, id, Long.MAX_VALUE, 1).stream().findFirst();
  }

  private List<Backfill> query(
      int projectId, int schedule, @Nullable Integer id, long before, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            h.createQuery(LIST_BACKFILLS)
                .bind("project", projectId)
                .bind("schedule", schedule)
                .bind("id", id)
                .bind("before", before)
                .bind("limit", limit)
                .map((row, c) -> backfillOf(row))
                .list());
  }

  private static final String COUNT_BACKFILLS =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.backfills b WHERE b.schedule_id = :schedule LIMIT :most) counted
      """;

  Count countBackfills(int schedule) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_BACKFILLS)
                    .bind("schedule", schedule)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // Locks the schedule; schedule and project are checked inside.
  private static final String ABORT_BACKFILL =
      """
      SELECT a.state FROM jobs.abort_backfill(:project, :schedule, :id, :error) a
      """;

  Optional<String> abortBackfill(int projectId, int schedule, int id, String error) {
    return jdbi.withHandle(
        h ->
            h.createQuery(ABORT_BACKFILL)
                .bind("project", projectId)
                .bind("schedule", schedule)
                .bind("id", id)
                .bind("error", error)
                .mapTo(String.class)
                .findOne());
  }

  private static Backfill backfillOf(ResultSet row) throws SQLException {
    return new Backfill(
        row.getString("id"),
        Columns.required(row, "range_from"),
        Columns.required(row, "range_to"),
        row.getString("overlap_policy"),
        row.getString("reprocess"),
        row.getInt("priority"),
        row.getString("state"),
        row.getInt("planned"),
        row.getInt("accepted"),
        row.getInt("waiting"),
        row.getInt("skipped"),
        row.getInt("left_alone"),
        row.getString("requested_by"),
        Columns.required(row, "created_at"),
        Columns.instant(row, "finished_at"),
        row.getString("error"));
  }
}
