package io.jobscheduler.api.schedules;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Page;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** SQL that reads the history of a schedule. */
@ApplicationScoped
class FireStore {
  /** Fires looked at for a page when only some outcomes are wanted. */
  static final int SCANNED = 10_000;

  private final Jdbi jdbi;

  FireStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // By schedule_fires_history, backwards. The inner LIMIT bounds what the filter looks at.
  private static final String LIST_FIRES =
      """
      SELECT f.id, f.outcome, f.trigger, f.reason, f.planned_at, f.planned_local, f.run, f.sequence, f.job_id,
             f.workflow_id, f.backfill_id, f.missed_from, f.missed_to, f.missed_count, f.requested_by, f.decided_at,
             f.fired_at
        FROM (
          SELECT n.id, n.outcome, n.trigger, n.reason, n.planned_at, n.planned_local, n.run, n.sequence, n.job_id,
                 n.workflow_id, n.backfill_id, n.missed_from, n.missed_to, n.missed_count, n.requested_by,
                 n.decided_at, n.fired_at
            FROM jobs.schedule_fires n
           WHERE n.schedule_id = :schedule AND n.id < :before
           ORDER BY n.schedule_id DESC, n.id DESC LIMIT :scanned) f
       WHERE cardinality(:outcomes::text[]) = 0 OR f.outcome = ANY (:outcomes)
       LIMIT :limit
      """;

  private static final String FIRES_BEYOND =
      """
      SELECT coalesce(max(b.id), 0) FROM (
        SELECT n.id FROM jobs.schedule_fires n
         WHERE n.schedule_id = :schedule AND n.id < :before
         ORDER BY n.schedule_id DESC, n.id DESC OFFSET :scanned LIMIT 1) b
      """;

  private static final String COUNT_FIRES =
      """
      SELECT count(*) FROM (
        SELECT n.outcome FROM jobs.schedule_fires n
         WHERE n.schedule_id = :schedule
         ORDER BY n.schedule_id DESC, n.id DESC LIMIT :most) f
       WHERE cardinality(:outcomes::text[]) = 0 OR f.outcome = ANY (:outcomes)
      """;

  /** A page of a schedule's fires, newest first; the caller has authorised the schedule. */
  Page<Fire> listFires(int schedule, List<String> outcomes, long before, int limit, int scanned) {
    return IndexReads.in(
        jdbi,
        h -> {
          List<Fire> rows = rows(h, schedule, outcomes, before, limit, scanned);
          Count count = count(h, schedule, outcomes);
          if (rows.size() > limit || outcomes.isEmpty()) {
            return Page.of(rows, limit, Fire::id, count);
          }
          long beyond =
              h.createQuery(FIRES_BEYOND)
                  .bind("schedule", schedule)
                  .bind("before", before)
                  .bind("scanned", scanned)
                  .mapTo(Long.class)
                  .one();
          return new Page<>(
              rows, beyond == 0 ? null : Cursor.after(Long.toString(beyond + 1)), count);
        });
  }

  private static List<Fire> rows(
      Handle h, int schedule, List<String> outcomes, long before, int limit, int scanned) {
    return h.createQuery(LIST_FIRES)
        .bind("schedule", schedule)
        .bindArray("outcomes", String.class, outcomes.toArray())
        .bind("before", before)
        .bind("scanned", outcomes.isEmpty() ? limit + 1 : scanned)
        .bind("limit", limit + 1)
        .map((row, c) -> fireOf(row))
        .list();
  }

  private static Count count(Handle h, int schedule, List<String> outcomes) {
    return Count.of(
        h.createQuery(COUNT_FIRES)
            .bind("schedule", schedule)
            .bindArray("outcomes", String.class, outcomes.toArray())
            .bind("most", Count.CAP + 1)
            .mapTo(Long.class)
            .one());
  }

  private static Fire fireOf(ResultSet row) throws SQLException {
    Instant missedFrom = Columns.instant(row, "missed_from");
    int missed = row.getInt("missed_count");
    return new Fire(
        row.getString("id"),
        row.getString("outcome"),
        row.getString("trigger"),
        row.getString("reason"),
        Columns.instant(row, "planned_at"),
        row.getString("planned_local"),
        row.getInt("run"),
        row.getString("sequence"),
        row.getString("job_id"),
        row.getString("workflow_id"),
        row.getString("backfill_id"),
        missedFrom == null
            ? null
            : new Foreseen.Missed(missedFrom, Columns.required(row, "missed_to"), missed),
        missedFrom == null ? missed : 0,
        row.getString("requested_by"),
        Columns.required(row, "decided_at"),
        Columns.instant(row, "fired_at"));
  }
}
