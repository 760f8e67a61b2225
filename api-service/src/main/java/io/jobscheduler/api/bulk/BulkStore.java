package io.jobscheduler.api.bulk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * SQL of bulk actions. Each statement names the project and the queues that the caller reaches: an
 * action that reaches further than a key is as absent as one that never was. Thread-safe.
 */
@ApplicationScoped
class BulkStore {
  private static final TypeReference<Map<String, Long>> COUNTS = new TypeReference<>() {};

  /** Rows looked at for the jobs of a new action; the leader goes on. */
  private static final int SCANNED = 10_000;

  /** Rows looked at by a dry run. */
  private static final int COUNTED_IN = 100_000;

  private static final int SAMPLES = 20;

  private final Jdbi jdbi;
  private final ObjectMapper json;

  BulkStore(Jdbi jdbi, ObjectMapper json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /** What a dry run counted. */
  record Preview(Count count, List<String> samples, Instant snapshotAt) {}

  // Walks the filter as the action would, by the same function.
  private static final String PREVIEW_BULK_ACTION =
      """
      SELECT p.counted, p.complete, p.samples, p.snapshot_at
        FROM jobs.preview_bulk_action(:project, :spec::jsonb, :queues, :most, :scan, :samples) p
      """;

  Preview preview(Grant grant, Map<String, Object> spec) {
    return jdbi.withHandle(
        h ->
            reach(h.createQuery(PREVIEW_BULK_ACTION), grant)
                .bind("spec", text(spec))
                .bind("most", Count.CAP)
                .bind("scan", COUNTED_IN)
                .bind("samples", SAMPLES)
                .map(
                    (row, c) ->
                        new Preview(
                            new Count(row.getLong("counted"), !row.getBoolean("complete")),
                            ids(row.getArray("samples")),
                            required(row, "snapshot_at")))
                .one());
  }

  /** A stored action; over: there are more jobs than it may have, so it must not be kept. */
  record Submitted(long id, boolean over) {}

  // Stores it, and its first jobs as of this very snapshot; a project's deletion waits for it, or
  // it for that, and then there is no id.
  private static final String SUBMIT_BULK_ACTION =
      """
      SELECT s.id, s.over FROM jobs.submit_bulk_action(:project, :spec::jsonb, :queues, :by, :scan) s
      """;

  /** Empty: the project was deleted meanwhile. */
  Optional<Submitted> submit(Grant grant, Map<String, Object> spec) {
    return jdbi.withHandle(
        h ->
            reach(h.createQuery(SUBMIT_BULK_ACTION), grant)
                .bind("spec", text(spec))
                .bind("by", grant.actor().label())
                .bind("scan", SCANNED)
                .map((row, c) -> submittedOf(row))
                .one());
  }

  private static Optional<Submitted> submittedOf(ResultSet row) throws SQLException {
    Long id = row.getObject("id", Long.class);
    return id == null ? Optional.empty() : Optional.of(new Submitted(id, row.getBoolean("over")));
  }

  // The function locks the action's row, and so waits for the batch in flight.
  private static final String ABORT_BULK_ACTION =
      """
      SELECT jobs.abort_bulk_action(:project, :id, :queues)
      """;

  /** Whether there is such an action. */
  boolean abort(Grant grant, long id) {
    return jdbi.withHandle(
        h ->
            reach(h.createQuery(ABORT_BULK_ACTION), grant)
                .bind("id", id)
                .mapTo(Boolean.class)
                .one());
  }

  // Likewise.
  private static final String UNDO_BULK_ACTION =
      """
      SELECT jobs.undo_bulk_action(:project, :id, :queues)
      """;

  /** gone, deletes, undone or undoing. */
  String undo(Grant grant, long id) {
    return jdbi.withHandle(
        h ->
            reach(h.createQuery(UNDO_BULK_ACTION), grant).bind("id", id).mapTo(String.class).one());
  }

  // By bulk_actions_project, newest first.
  private static final String LIST_BULK_ACTIONS =
      """
      SELECT b.id, b.action, b.state, b.state_reason, b.filter, b.reason, b.requested_by, b.created_at, b.snapshot_at,
             b.ended_at, b.max_jobs, b.canary, b.rate_per_second, b.stop_ratio, b.matched, b.collected_at, b.done,
             b.requested, b.failed, b.skipped, b.succeeded_since, b.failed_since, b.undone, b.kept
        FROM jobs.bulk_actions b
       WHERE b.project_id = :project AND (:id::bigint IS NULL OR b.id = :id)
         AND (b.project_id, b.id) < (:project, :before)
         AND (:queues::int[] IS NULL OR b.queue_ids <@ :queues)
       ORDER BY b.project_id DESC, b.id DESC LIMIT :limit
      """;

  List<BulkAction> list(Grant grant, long before, int limit) {
    return query(grant, null, before, limit);
  }

  Optional<BulkAction> find(Grant grant, long id) {
    return query(grant, id, Long.MAX_VALUE, 1).stream().findFirst();
  }

  private List<BulkAction> query(Grant grant, @Nullable Long id, long before, int limit) {
    return IndexReads.in(
        jdbi,
        h ->
            reach(h.createQuery(LIST_BULK_ACTIONS), grant)
                .bind("id", id)
                .bind("before", before)
                .bind("limit", limit)
                .map((row, c) -> actionOf(row))
                .list());
  }

  private static final String COUNT_BULK_ACTIONS =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.bulk_actions b
         WHERE b.project_id = :project AND (:queues::int[] IS NULL OR b.queue_ids <@ :queues)
         LIMIT :most) counted
      """;

  Count count(Grant grant) {
    return jdbi.withHandle(
        h ->
            Count.of(
                reach(h.createQuery(COUNT_BULK_ACTIONS), grant)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  private static final String FIND_QUEUE =
      """
      SELECT q.id FROM jobs.queues q WHERE q.project_id = :project AND q.name = :name AND q.deleted_at IS NULL
      """;

  Optional<Integer> findQueue(Grant grant, String name) {
    return findId(FIND_QUEUE, grant, name);
  }

  private static final String FIND_SCHEDULE =
      """
      SELECT s.id FROM jobs.schedules s WHERE s.project_id = :project AND s.name = :name
      """;

  Optional<Integer> findSchedule(Grant grant, String name) {
    return findId(FIND_SCHEDULE, grant, name);
  }

  private Optional<Integer> findId(String sql, Grant grant, String name) {
    return jdbi.withHandle(
        h ->
            h.createQuery(sql)
                .bind("project", grant.projectId())
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne());
  }

  private static Query reach(Query query, Grant grant) {
    var queues = grant.queueIds();
    return query
        .bind("project", grant.projectId())
        .bindByType(
            "queues", queues == null ? null : queues.toArray(new Integer[0]), Integer[].class);
  }

  private BulkAction actionOf(ResultSet row) throws SQLException {
    Map<String, Long> skipped = counts(row, "skipped");
    long open =
        row.getLong("matched")
            - row.getLong("done")
            - row.getLong("failed")
            - skipped.values().stream().mapToLong(Long::longValue).sum();
    return new BulkAction(
        row.getString("id"),
        row.getString("action"),
        row.getString("state"),
        row.getString("state_reason"),
        filter(row.getString("filter")),
        row.getString("reason"),
        row.getString("requested_by"),
        required(row, "created_at"),
        required(row, "snapshot_at"),
        instant(row, "ended_at"),
        row.getObject("max_jobs", Integer.class),
        row.getObject("canary", Integer.class),
        row.getObject("rate_per_second", Double.class),
        row.getObject("stop_ratio", Double.class),
        new BulkAction.Progress(
            row.getLong("matched"),
            instant(row, "collected_at") != null,
            open,
            row.getLong("done"),
            row.getLong("requested"),
            skipped,
            row.getLong("failed"),
            row.getLong("succeeded_since"),
            row.getLong("failed_since"),
            row.getLong("undone"),
            counts(row, "kept")));
  }

  private static List<String> ids(Array array) throws SQLException {
    return Arrays.stream((Long[]) array.getArray()).map(String::valueOf).toList();
  }

  private Map<String, Long> counts(ResultSet row, String column) throws SQLException {
    try {
      return json.readValue(row.getString(column), COUNTS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private BulkFilter filter(String text) {
    try {
      return json.readValue(text, BulkFilter.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private String text(Map<String, Object> spec) {
    try {
      return json.writeValueAsString(spec);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Instant required(ResultSet row, String column) throws SQLException {
    Instant instant = instant(row, column);
    if (instant == null) {
      throw new IllegalStateException(column + " is null");
    }
    return instant;
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
