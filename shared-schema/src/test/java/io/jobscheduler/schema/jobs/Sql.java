package io.jobscheduler.schema.jobs;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The functions as a worker calls them, and what tests need around them. */
final class Sql {
  static final long SKIP = Long.MAX_VALUE;

  record Claimed(long id, long token, int attempt, int queue) {}

  record Verdict(long id, String verdict, String state) {}

  private final TestDatabase database;

  Sql(TestDatabase database) {
    this.database = database;
  }

  int project(String name) {
    return number("INSERT INTO projects (name) VALUES ('%s') RETURNING id".formatted(name));
  }

  int queue(int project, String name, Integer limit) {
    return number(
        "INSERT INTO queues (project_id, name, max_concurrency) VALUES (%d, '%s', %s) RETURNING id"
            .formatted(project, name, limit));
  }

  long worker(long id) {
    database.sql("SELECT register_worker(%d, 'h', 1, 'v', '{*/*}', 8)".formatted(id));
    return id;
  }

  /** Jobs that are ready, in the order given by their keys. */
  List<Long> ready(int queue, int count) {
    return ready(queue, 4, count);
  }

  List<Long> ready(int queue, int priority, int count) {
    return ids(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, ready_at)
        SELECT q.project_id, q.id, 'echo', 'ready', %2$d, %2$d, micros(clock_timestamp()), clock_timestamp()
          FROM queues q, generate_series(1, %3$d)
         WHERE q.id = %1$d
        RETURNING id
        """
            .formatted(queue, priority, count));
  }

  List<Claimed> claim(Connection worker, long workerId, long number, int queue, int wanted)
      throws SQLException {
    return claim(worker, workerId, number, new Integer[] {queue}, new Integer[] {wanted});
  }

  List<Claimed> claim(
      Connection worker, long workerId, long number, Integer[] queues, Integer[] wanted)
      throws SQLException {
    Long[][] zero = new Long[queues.length][10];
    for (Long[] row : zero) {
      Arrays.fill(row, 0L);
    }
    return claim(worker, workerId, number, queues, wanted, zero, zero);
  }

  List<Claimed> claim(
      Connection worker,
      long workerId,
      long number,
      Integer[] queues,
      Integer[] wanted,
      Long[][] keys,
      Long[][] ids)
      throws SQLException {
    try (PreparedStatement statement =
        worker.prepareStatement(
            "SELECT id, lease_token, attempt, queue_id FROM jobs.claim(?, ?, ?, ?, ?, ?)")) {
      statement.setLong(1, workerId);
      statement.setLong(2, number);
      statement.setArray(3, worker.createArrayOf("int", queues));
      statement.setArray(4, worker.createArrayOf("int", wanted));
      statement.setArray(5, worker.createArrayOf("bigint", keys));
      statement.setArray(6, worker.createArrayOf("bigint", ids));
      List<Claimed> claimed = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          claimed.add(
              new Claimed(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4)));
        }
      }
      return claimed;
    }
  }

  List<Verdict> settle(Connection worker, long workerId, List<Claimed> jobs, String outcome)
      throws SQLException {
    return settle(worker, workerId, jobs, outcome, null);
  }

  List<Verdict> settle(
      Connection worker, long workerId, List<Claimed> jobs, String outcome, String result)
      throws SQLException {
    Integer[] flows = new Integer[jobs.size()];
    for (int i = 0; i < flows.length; i++) {
      String flow =
          database.sql(
              "SELECT workflow_id FROM all_jobs WHERE id = %d".formatted(jobs.get(i).id()));
      flows[i] = flow == null ? null : Integer.valueOf(flow);
    }
    return settle(worker, workerId, jobs, flows, outcome, result);
  }

  List<Verdict> settle(
      Connection worker,
      long workerId,
      List<Claimed> jobs,
      Integer[] flows,
      String outcome,
      String result)
      throws SQLException {
    int n = jobs.size();
    Object[] none = new Object[n];
    try (PreparedStatement statement =
        worker.prepareStatement(
            "SELECT id, verdict, state FROM jobs.settle(?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, NULL)")) {
      statement.setLong(1, workerId);
      statement.setArray(
          2, worker.createArrayOf("bigint", jobs.stream().map(Claimed::id).toArray()));
      statement.setArray(
          3, worker.createArrayOf("bigint", jobs.stream().map(Claimed::token).toArray()));
      statement.setArray(4, worker.createArrayOf("int", flows));
      statement.setArray(
          5, worker.createArrayOf("text", Collections.nCopies(n, outcome).toArray()));
      statement.setArray(6, worker.createArrayOf("text", Collections.nCopies(n, result).toArray()));
      statement.setArray(7, worker.createArrayOf("text", none));
      statement.setArray(8, worker.createArrayOf("text", none));
      statement.setArray(9, worker.createArrayOf("text", none));
      statement.setArray(10, worker.createArrayOf("interval", none));
      List<Verdict> verdicts = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          verdicts.add(new Verdict(rows.getLong(1), rows.getString(2), rows.getString(3)));
        }
      }
      return verdicts;
    }
  }

  /** Settles one lease with whatever else an outcome may carry, as SQL literals. */
  Verdict settleOne(
      Connection worker, Claimed job, String outcome, String kind, String delay, String until)
      throws SQLException {
    String sql =
        """
        SELECT id, verdict, state FROM jobs.settle(1, ARRAY[%d], ARRAY[%d], NULL, ARRAY['%s'], NULL,
          ARRAY[%s::text], NULL, NULL, NULL, ARRAY[CAST(%s AS interval)], ARRAY[CAST(%s AS timestamptz)])
        """
            .formatted(job.id(), job.token(), outcome, kind, delay, until);
    try (var statement = worker.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return new Verdict(row.getLong(1), row.getString(2), row.getString(3));
    }
  }

  Connection asWorker() throws SQLException {
    return database.connect(Role.WORKER);
  }

  String state(long id) {
    return database.sql("SELECT state FROM all_jobs WHERE id = " + id);
  }

  int number(String sql) {
    return Integer.parseInt(database.sql(sql));
  }

  List<Long> ids(String sql) {
    try (Connection owner = database.connect(Role.OWNER);
        var statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery(sql)) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      return ids;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
