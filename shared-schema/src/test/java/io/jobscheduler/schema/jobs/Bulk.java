package io.jobscheduler.schema.jobs;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Bulk actions as the API asks for them and the leader carries them out, each under its role. */
final class Bulk {
  static final String DEAD = "\"action\": \"retry\", \"states\": [\"dead\"]";
  static final String WAITING =
      "\"action\": \"cancel\", \"states\": [\"scheduled\", \"blocked\", \"ready\", \"retrying\"]";
  static final String LIVE =
      "\"action\": \"cancel\", \"states\": [\"scheduled\", \"blocked\", \"ready\", \"retrying\","
          + " \"running\"]";

  final Sql sql;
  final int project;
  final int queue;
  private final TestDatabase database;

  /** Makes a project, its queue, and worker 1. */
  Bulk(TestDatabase database) {
    this.database = database;
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
  }

  /**
   * Submits one and looks at up to {@code scan} rows at once; {@code spec} is a JSON object's
   * inside.
   */
  long submit(String spec, int scan) {
    return submit(spec, "NULL", scan);
  }

  /** The same by a key that reaches some queues only. */
  long submit(String spec, String queues, int scan) {
    return Long.parseLong(
        as(
            Role.API,
            "SELECT id FROM jobs.submit_bulk_action(%d, '{\"filter\": {}, %s}', %s, 'someone', %d)"
                .formatted(project, spec, queues, scan)));
  }

  /** One step of at most {@code batch} jobs; returns what it worked off. */
  int step(long action, int batch) {
    return Integer.parseInt(
        as(
            Role.SCHEDULER,
            "SELECT worked FROM jobs.step_bulk_action(%d, %d, 1000, 1000)"
                .formatted(action, batch)));
  }

  /** Steps until nothing can be done now. */
  void drain(long action) {
    int quiet = 0;
    while (quiet < 2) {
      quiet = step(action, 100) == 0 ? quiet + 1 : 0;
    }
  }

  boolean abort(int of, long action) {
    return as(Role.API, "SELECT jobs.abort_bulk_action(%d, %d, NULL)".formatted(of, action))
        .equals("t");
  }

  String undo(int of, long action) {
    return as(Role.API, "SELECT jobs.undo_bulk_action(%d, %d, NULL)".formatted(of, action));
  }

  /** Columns of an action, as one text. */
  String shown(long action, String columns) {
    return database.sql(
        "SELECT concat_ws(' ', %s) FROM bulk_actions WHERE id = %d".formatted(columns, action));
  }

  /** What became of its jobs: ids by outcome and reason. */
  String outcomes(long action) {
    return database.sql(
        """
        SELECT string_agg(o.line, '; ' ORDER BY o.line) FROM (
          SELECT concat_ws(' ', coalesce(outcome, 'open'), reason) || ': ' || string_agg(job_id::text, ' ' ORDER BY job_id) AS line
            FROM bulk_action_jobs WHERE action_id = %d GROUP BY outcome, reason) o
        """
            .formatted(action));
  }

  /** Ended jobs, in order of their ids. */
  List<Long> ended(String state, int count) {
    return ended(queue, state, count);
  }

  List<Long> ended(int in, String state, int count) {
    List<Long> ids = sql.ready(in, count);
    database.sql(
        """
        SELECT count(*) FROM move_to_finished('{%1$s}'::bigint[], array_fill('%2$s'::text, ARRAY[%3$d]),
          array_fill('why'::text, ARRAY[%3$d]), NULL, array_fill('boom'::text, ARRAY[%3$d]),
          array_fill('broken'::text, ARRAY[%3$d]), array_fill('at x'::text, ARRAY[%3$d]),
          array_fill('%4$s'::text, ARRAY[%3$d]))
        """
            .formatted(
                String.join(",", ids.stream().map(String::valueOf).toList()),
                state,
                count,
                state.equals("dead") ? "f1" : "none"));
    return ids;
  }

  private String as(Role role, String sql) {
    try (Connection connection = database.connect(role);
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
