package io.jobscheduler.localstack.judge;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the product's tables through one connection, which is in one snapshot for all of it. */
final class RecordStore {
  private static final int ROWS_AT_ONCE = 2_000;

  private final Connection connection;

  RecordStore(Connection connection) {
    this.connection = connection;
  }

  private static final String PROJECTS = "SELECT p.id, p.name FROM jobs.projects p";

  private static final String QUEUES = "SELECT q.id, q.project_id, q.name FROM jobs.queues q";

  Names names() throws SQLException {
    Map<Integer, String> projects = new HashMap<>();
    Map<Integer, Names.Queue> queues = new HashMap<>();
    try (ResultSet row = stream(PROJECTS)) {
      while (row.next()) {
        projects.put(row.getInt(1), row.getString(2));
      }
    }
    try (ResultSet row = stream(QUEUES)) {
      while (row.next()) {
        queues.put(row.getInt(1), new Names.Queue(row.getInt(2), row.getString(3)));
      }
    }
    return new Names(projects, queues);
  }

  // Both tables at once: a job that is in both is found next to itself. Sorted by the server, so
  // that the reader
  // holds one job at a time.
  private static final String JOBS =
      """
      SELECT j.id, j.project_id, j.queue_id, j.type, j.state, j.state_reason, j.attempt,
             j.max_attempts, j.returned, j.generation, jobs.micros(j.started_at),
             jobs.micros(j.finished_at), j.lease_token, j.worker_id, j.workflow_id,
             j.concurrency_key, j.error_kind, j.gate, j.schedule_id, jobs.micros(j.planned_at)
        FROM jobs.all_jobs j
       ORDER BY j.id
      """;

  /** Every job, by id. */
  Rows<JobRow> jobs() throws SQLException {
    return new Rows<>(
        stream(JOBS),
        row ->
            new JobRow(
                row.getLong(1),
                row.getInt(2),
                row.getInt(3),
                row.getString(4).intern(),
                row.getString(5).intern(),
                row.getString(6),
                row.getInt(7),
                row.getInt(8),
                row.getInt(9),
                row.getInt(10),
                longOrNull(row, 11),
                longOrNull(row, 12),
                longOrNull(row, 13),
                longOrNull(row, 14),
                intOrNull(row, 15),
                row.getString(16),
                row.getString(17),
                row.getString(18),
                intOrNull(row, 19),
                longOrNull(row, 20)));
  }

  private static final String ATTEMPTS =
      """
      SELECT a.job_id, a.lease_token, a.worker_id, jobs.micros(a.started_at),
             jobs.micros(a.ended_at), a.attempt, a.generation, a.outcome, a.error_kind
        FROM (SELECT l.job_id, l.lease_token, l.worker_id, l.started_at, l.ended_at, l.attempt,
                     l.generation, l.outcome, l.error_kind
                FROM jobs.attempts l
               UNION ALL
              SELECT f.job_id, f.lease_token, f.worker_id, f.started_at, f.ended_at, f.attempt,
                     f.generation, f.outcome, f.error_kind
                FROM jobs.finished_attempts f) a
       ORDER BY a.job_id, a.lease_token
      """;

  /** Every attempt that did not end its job, or whose job was brought back; by job and token. */
  Rows<Lease> attempts() throws SQLException {
    return new Rows<>(
        stream(ATTEMPTS),
        row ->
            new Lease(
                row.getLong(1),
                row.getLong(2),
                longOrNull(row, 3),
                longOrNull(row, 4),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getString(8).intern(),
                row.getString(9)));
  }

  private static final String EDGES =
      "SELECT d.child_id, d.parent_id, d.on_outcome, d.waived FROM jobs.dependencies d";

  List<EdgeCheck.Edge> edges() throws SQLException {
    List<EdgeCheck.Edge> edges = new ArrayList<>();
    try (ResultSet row = stream(EDGES)) {
      while (row.next()) {
        edges.add(
            new EdgeCheck.Edge(
                row.getLong(1), row.getLong(2), row.getString(3).intern(), row.getBoolean(4)));
      }
    }
    return edges;
  }

  /** A workflow and how many of its members there are as jobs. */
  record Workflow(int id, int project, int jobCount, long members) {}

  private static final String WORKFLOWS =
      """
      SELECT w.id, w.project_id, w.job_count, coalesce(c.jobs, 0)
        FROM jobs.workflows w
        LEFT JOIN (SELECT n.workflow_id, sum(n.jobs) AS jobs FROM jobs.workflow_counts n
                    GROUP BY n.workflow_id) c ON c.workflow_id = w.id
      """;

  List<Workflow> workflows() throws SQLException {
    List<Workflow> workflows = new ArrayList<>();
    try (ResultSet row = stream(WORKFLOWS)) {
      while (row.next()) {
        workflows.add(new Workflow(row.getInt(1), row.getInt(2), row.getInt(3), row.getLong(4)));
      }
    }
    return workflows;
  }

  // Accounted for: nobody has edited it but to pause it at the end, and every time of it is
  // planned.
  private static final String SCHEDULES =
      """
      SELECT s.id, s.name, jobs.micros(s.created_at), s.every_ms * 1000, jobs.micros(s.anchor),
             jobs.micros(s.planned_to),
             (s.version = 1 OR (s.version = 2 AND s.state = 'paused'))
             AND s.start_at IS NULL AND s.end_at IS NULL AND s.max_runs IS NULL
             AND s.exclusions = '{}', s.queued,
             CASE WHEN s.state = 'paused' AND s.paused_by IS DISTINCT FROM 'scheduler'
               THEN jobs.micros(s.paused_at) END
        FROM jobs.schedules s
      """;

  Map<Integer, FireCheck.Schedule> schedules() throws SQLException {
    Map<Integer, FireCheck.Schedule> schedules = new HashMap<>();
    try (ResultSet row = stream(SCHEDULES)) {
      while (row.next()) {
        schedules.put(
            row.getInt(1),
            new FireCheck.Schedule(
                row.getInt(1),
                row.getString(2),
                row.getLong(3),
                longOrNull(row, 4),
                longOrNull(row, 5),
                row.getLong(6),
                row.getBoolean(7),
                row.getInt(8),
                longOrNull(row, 9)));
      }
    }
    return schedules;
  }

  private static final String FIRES =
      """
      SELECT f.schedule_id, jobs.micros(f.planned_at), f.run, f.outcome, f.job_id, f.workflow_id,
             jobs.micros(f.missed_from), jobs.micros(f.missed_to), jobs.micros(f.decided_at)
        FROM jobs.schedule_fires f
       ORDER BY f.schedule_id, f.planned_at, f.run, f.id
      """;

  /** Every fire, by schedule, planned time and run. */
  Rows<FireCheck.Fire> fires() throws SQLException {
    return new Rows<>(
        stream(FIRES),
        row ->
            new FireCheck.Fire(
                row.getInt(1),
                longOrNull(row, 2),
                row.getInt(3),
                row.getString(4),
                longOrNull(row, 5),
                intOrNull(row, 6),
                longOrNull(row, 7),
                longOrNull(row, 8),
                row.getLong(9)));
  }

  private ResultSet stream(String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.closeOnCompletion();
    statement.setFetchSize(ROWS_AT_ONCE);
    return statement.executeQuery();
  }

  private static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  private static @Nullable Integer intOrNull(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }
}
