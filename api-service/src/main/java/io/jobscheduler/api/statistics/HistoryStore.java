package io.jobscheduler.api.statistics;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/** SQL over the roll-up, and the sums made of it. */
@ApplicationScoped
public class HistoryStore {
  /** Rows read at most, the newest: a busy project has one per span, queue and type. */
  static final int MOST_ROWS = 20_000;

  /** One stored row of counts. */
  record Cell(
      Instant start,
      String queue,
      String type,
      long succeeded,
      long dead,
      long cancelled,
      long skipped,
      long expired,
      long failedAttempts,
      long lostAttempts,
      Long[] waits,
      Long[] runs) {}

  private record Depth(Instant start, long ready, long running) {}

  private record GroupKey(String queue, String type) {}

  private final Jdbi jdbi;
  private final int mostRows;

  @Inject
  HistoryStore(Jdbi jdbi) {
    this(jdbi, MOST_ROWS);
  }

  HistoryStore(Jdbi jdbi, int mostRows) {
    this.jdbi = jdbi;
    this.mostRows = mostRows;
  }

  private static final String NOW =
      """
      SELECT clock_timestamp() AS now
      """;

  /** The database's clock. */
  public Instant now() {
    return jdbi.withHandle(h -> h.createQuery(NOW).mapTo(OffsetDateTime.class).one().toInstant());
  }

  private static final String COUNTED_TO =
      """
      SELECT p.rolled_to FROM jobs.statistics_progress p
      """;

  // Backwards by the primary key; the LIMIT bounds what is read, the queues are joined by theirs.
  private static final String CELLS =
      """
      SELECT c.starts_at, q.name AS queue, c.type, c.succeeded, c.dead, c.cancelled, c.skipped,
             c.expired, c.failed_attempts, c.lost_attempts, c.wait_histogram, c.run_histogram
        FROM (
          SELECT s.project_id, s.starts_at, s.queue_id, s.type, s.succeeded, s.dead, s.cancelled,
                 s.skipped, s.expired, s.failed_attempts, s.lost_attempts, s.wait_histogram,
                 s.run_histogram
            FROM jobs.job_statistics s
           WHERE s.project_id = :project AND s.span = :span
             AND s.starts_at >= :from AND s.starts_at < :to
           ORDER BY s.project_id DESC, s.span DESC, s.starts_at DESC LIMIT :most) c
        JOIN jobs.queues q ON q.id = c.queue_id AND q.project_id = c.project_id
       WHERE (:queue::text IS NULL OR q.name = :queue) AND (:type::text IS NULL OR c.type = :type)
      """;

  private static final String DEPTHS =
      """
      SELECT c.starts_at, sum(c.ready) AS ready, sum(c.running) AS running
        FROM (
          SELECT d.project_id, d.starts_at, d.queue_id, d.ready, d.running
            FROM jobs.queue_depths d
           WHERE d.project_id = :project AND d.span = :span
             AND d.starts_at >= :from AND d.starts_at < :to
           ORDER BY d.project_id DESC, d.span DESC, d.starts_at DESC LIMIT :most) c
        JOIN jobs.queues q ON q.id = c.queue_id AND q.project_id = c.project_id
       WHERE (:queue::text IS NULL OR q.name = :queue)
       GROUP BY c.starts_at
      """;

  // How far down the read came, filter or not.
  private static final String OLDEST_READ =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.job_statistics s
         WHERE s.project_id = :project AND s.span = :span
           AND s.starts_at >= :from AND s.starts_at < :to
         LIMIT :most) c
      """;

  /** The history of a project. Reads at most {@value #MOST_ROWS} rows of counts. */
  public History history(int projectId, HistoryRequest request) {
    return IndexReads.in(
        jdbi,
        h -> {
          Instant countedTo =
              h.createQuery(COUNTED_TO).mapTo(OffsetDateTime.class).one().toInstant();
          List<Cell> cells =
              filtered(h, CELLS, projectId, request).map((row, c) -> cell(row)).list();
          List<Depth> depths =
              bounded(h, DEPTHS, projectId, request)
                  .bind("queue", request.queue())
                  .map(
                      (row, c) ->
                          new Depth(
                              instant(row, "starts_at"),
                              row.getLong("ready"),
                              row.getLong("running")))
                  .list();
          long read =
              bounded(h, OLDEST_READ, projectId, request)
                  .bind("most", mostRows + 1)
                  .mapTo(Long.class)
                  .one();
          return assemble(request, cells, depths, countedTo, read > mostRows);
        });
  }

  private Query filtered(Handle h, String sql, int projectId, HistoryRequest request) {
    return bounded(h, sql, projectId, request)
        .bind("queue", request.queue())
        .bind("type", request.type());
  }

  private Query bounded(Handle h, String sql, int projectId, HistoryRequest request) {
    return h.createQuery(sql)
        .bind("project", projectId)
        .bind("span", request.bucket().seconds())
        .bind("from", request.from().atOffset(ZoneOffset.UTC))
        .bind("to", request.to().atOffset(ZoneOffset.UTC))
        .bind("most", mostRows);
  }

  private static Cell cell(ResultSet row) throws SQLException {
    return new Cell(
        instant(row, "starts_at"),
        row.getString("queue"),
        row.getString("type"),
        row.getLong("succeeded"),
        row.getLong("dead"),
        row.getLong("cancelled"),
        row.getLong("skipped"),
        row.getLong("expired"),
        row.getLong("failed_attempts"),
        row.getLong("lost_attempts"),
        (Long[]) row.getArray("wait_histogram").getArray(),
        (Long[]) row.getArray("run_histogram").getArray());
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static History assemble(
      HistoryRequest request,
      List<Cell> cells,
      List<Depth> depths,
      Instant countedTo,
      boolean partial) {
    Map<Instant, Tally> spans = new TreeMap<>();
    Map<GroupKey, Tally> kinds = new LinkedHashMap<>();
    for (Cell cell : cells) {
      spans.computeIfAbsent(cell.start(), k -> new Tally()).add(cell);
      kinds.computeIfAbsent(new GroupKey(cell.queue(), cell.type()), k -> new Tally()).add(cell);
    }
    Map<Instant, Depth> samples = new TreeMap<>();
    depths.forEach(d -> samples.put(d.start(), d));
    samples.keySet().forEach(start -> spans.computeIfAbsent(start, k -> new Tally()));

    List<History.Point> points = new ArrayList<>();
    spans.forEach(
        (start, tally) -> {
          Depth depth = samples.getOrDefault(start, new Depth(start, 0, 0));
          points.add(new History.Point(start, tally.sum(), depth.ready(), depth.running()));
        });
    List<History.Group> groups = new ArrayList<>();
    kinds.forEach(
        (key, tally) -> groups.add(new History.Group(key.queue(), key.type(), tally.sum())));
    groups.sort(
        Comparator.comparingLong((History.Group g) -> -g.ended().jobs())
            .thenComparing(History.Group::queue)
            .thenComparing(History.Group::type));
    return new History(
        request.from(),
        request.to(),
        request.bucket().label(),
        points,
        groups.subList(0, Math.min(groups.size(), History.MOST_GROUPS)),
        countedTo,
        partial);
  }
}
