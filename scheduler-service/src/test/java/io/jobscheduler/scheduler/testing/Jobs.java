package io.jobscheduler.scheduler.testing;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Jobs in one queue of one project, written as the owner; claimed, beaten for and settled as the
 * worker's role through its own functions.
 */
public final class Jobs {
  /** A claimed job. */
  public record Lease(long id, long token, int attempt) {}

  private static final AtomicLong CLAIMS = new AtomicLong();

  private final TestDatabase database;

  /** Makes the project {@code p} (1) with the queue {@code q} (1). */
  public Jobs(TestDatabase database) {
    this.database = database;
    database.sql("INSERT INTO projects (name) VALUES ('p')");
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'q')");
  }

  /** Inserts jobs; {@code columns} and {@code values} are SQL, with {@code i} from 1 to count. */
  public void insert(int count, String columns, String values) {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, dispatch_key, "
            + columns
            + ") SELECT 1, 1, 't', micros(clock_timestamp()) + i, "
            + values
            + " FROM generate_series(1, "
            + count
            + ") AS s (i)");
  }

  /** Inserts ready jobs. */
  public void insertReady(int count) {
    insert(count, "state, ready_at", "'ready', clock_timestamp()");
  }

  /** A worker's row. */
  public void register(long worker) throws SQLException {
    try (Connection connection = database.connect(Role.WORKER);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT jobs.register_worker(?, 'host', 1, 'test', '{*/*}', 8)")) {
      statement.setLong(1, worker);
      statement.execute();
    }
  }

  /** Claims from the queue; an attempt is counted. */
  public List<Lease> claim(long worker, int wanted) throws SQLException {
    try (Connection connection = database.connect(Role.WORKER);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT c.id, c.lease_token, c.attempt, c.dispatch_key"
                    + " FROM jobs.claim(?, ?, '{1}', ?, ?, ?) c ORDER BY c.dispatch_key, c.id")) {
      // From the start of each of the ten lanes.
      Array zeros =
          connection.createArrayOf("int8", new Object[][] {Collections.nCopies(10, 0L).toArray()});
      statement.setLong(1, worker);
      statement.setLong(2, CLAIMS.incrementAndGet());
      statement.setArray(3, connection.createArrayOf("int4", new Object[] {wanted}));
      statement.setArray(4, zeros);
      statement.setArray(5, zeros);
      List<Lease> leases = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          leases.add(new Lease(rows.getLong(1), rows.getLong(2), rows.getInt(3)));
        }
      }
      return leases;
    }
  }

  /** Settles one lease; returns the verdict on it. */
  public String settle(long worker, Lease lease, String outcome) throws SQLException {
    Integer workflow =
        Integer.valueOf(
            database.sql(
                "SELECT coalesce((SELECT workflow_id FROM all_jobs WHERE id = "
                    + lease.id()
                    + "), 0)"));
    try (Connection connection = database.connect(Role.WORKER);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT s.verdict FROM jobs.settle(?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, NULL, NULL,"
                    + " NULL) s WHERE s.id = ?")) {
      statement.setLong(1, worker);
      statement.setArray(2, connection.createArrayOf("int8", new Object[] {lease.id()}));
      statement.setArray(3, connection.createArrayOf("int8", new Object[] {lease.token()}));
      statement.setArray(
          4, connection.createArrayOf("int4", new Object[] {workflow == 0 ? null : workflow}));
      statement.setArray(5, connection.createArrayOf("text", new Object[] {outcome}));
      statement.setLong(6, lease.id());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString("verdict");
      }
    }
  }

  /** How many live jobs are in a state. */
  public int count(String state) {
    return Integer.parseInt(
        database.sql("SELECT count(*) FROM jobs WHERE state = '" + state + "'"));
  }

  /** A column, or expression, of a job wherever it lives. */
  public String of(long id, String column) {
    return database.sql("SELECT " + column + " FROM all_jobs WHERE id = " + id);
  }
}
