package io.jobscheduler.worker;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Makes queues and jobs in a test's database as its owner, and reads what became of them. */
public final class Jobs {
  private final TestDatabase database;

  /** For one database. */
  public Jobs(TestDatabase database) {
    this.database = database;
  }

  /** A queue without limit in project {@code shop}, made when missing; its id. */
  public int queue(String name) {
    return queue(name, 1, null);
  }

  /** A queue in project {@code shop}; its id. */
  public int queue(String name, int weight, Integer limit) {
    database.sql("INSERT INTO projects (name) VALUES ('shop') ON CONFLICT DO NOTHING");
    return Integer.parseInt(
        database.sql(
            "INSERT INTO queues (project_id, name, weight, max_concurrency) SELECT id, '"
                + name
                + "', "
                + weight
                + ", "
                + limit
                + " FROM projects WHERE name = 'shop' RETURNING id"));
  }

  /** A ready job of priority 4; its id. */
  public long ready(int queue, String type, String payload) {
    return ready(queue, type, payload, 4, null);
  }

  /** A ready job whose key is {@code micros}, or the present when null; its id. */
  public long ready(int queue, String type, String payload, int priority, Long micros) {
    return Long.parseLong(
        database.sql(
            "INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane,"
                + " dispatch_key, ready_at, payload) SELECT project_id, id, '"
                + type
                + "', 'ready', "
                + priority
                + ", "
                + priority
                + ", coalesce("
                + micros
                + ", jobs.micros(clock_timestamp())), clock_timestamp(), "
                + (payload == null ? "NULL" : "'" + payload + "'")
                + " FROM queues WHERE id = "
                + queue
                + " RETURNING id"));
  }

  /** Many ready jobs of priority 4, one microsecond apart, in one statement. */
  public void readyMany(int queue, String type, int count) {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at)"
            + " SELECT project_id, id, '"
            + type
            + "', 'ready', jobs.micros(clock_timestamp()) + n, clock_timestamp()"
            + " FROM queues, generate_series(1, "
            + count
            + ") n WHERE id = "
            + queue);
  }

  /** The state wherever the job lives. */
  public String state(long id) {
    return database.sql("SELECT state FROM all_jobs WHERE id = " + id);
  }

  /** One column of the job wherever it lives. */
  public String column(String column, long id) {
    return database.sql("SELECT " + column + " FROM all_jobs WHERE id = " + id);
  }

  /** How many jobs are in that state. */
  public int count(String state) {
    return Integer.parseInt(
        database.sql("SELECT count(*) FROM all_jobs WHERE state = '" + state + "'"));
  }

  /** A number. */
  public long number(String sql) {
    return Long.parseLong(database.sql(sql));
  }

  /** How many connections listen for wake-ups; only a superuser sees what others run. */
  public long listeners() {
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE 'LISTEN%'")) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Registers a worker row without any process behind it. */
  public void worker(long id) {
    database.sql("SELECT jobs.register_worker(" + id + ", 'test', 1, 'test', '{*/*}', 1)");
  }

  /** Ids as an SQL array. */
  static String array(long... ids) {
    return "'{"
        + Arrays.stream(ids).mapToObj(Long::toString).collect(Collectors.joining(","))
        + "}'::bigint[]";
  }

  static LongStream ids(String list) {
    return Arrays.stream(list.split(",")).mapToLong(Long::parseLong);
  }
}
