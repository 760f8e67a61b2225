package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Expectation;
import io.jobscheduler.localstack.load.Ledger;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A small run in an emptied database, played by hand through the product's own functions, with its
 * effects and ledger.
 */
final class Play implements AutoCloseable {
  static final long WORKER = 100;
  static final long OTHER = 200;

  final Ledger ledger = new Ledger();
  Observations observations = Observations.none();

  /** Processes that were cut off and never stopped; all of the play's have the pid 1. */
  Set<Long> cutOff = Set.of();

  private final TestDatabase database;
  private final Connection connection;
  private final List<String[]> effects = new ArrayList<>();

  /** A lease in hand. */
  record Claim(long job, long token, int attempt, String queue, long worker) {}

  Play(TestDatabase database) throws SQLException {
    this.database = database;
    connection = database.superuser();
    sql("SET search_path = jobs");
    sql(
        """
        TRUNCATE jobs, finished_jobs, attempts, finished_attempts, dependencies, workflow_members,
                 workflows, schedule_fires, schedules, pending_releases, workers, queues, projects
         CASCADE
        """);
    for (String project : List.of("a", "b")) {
      sql("INSERT INTO projects (name) VALUES ('" + project + "')");
      queue(project, "plain", "NULL", "NULL");
    }
    queue("a", "limited", "2", "NULL");
    queue("a", "keyed", "NULL", "1");
    for (long worker : List.of(WORKER, OTHER)) {
      sql("SELECT register_worker(" + worker + ", 'test', 1, 'test', '{*/*}', 8)");
    }
  }

  private void queue(String project, String name, String limit, String perKey) throws SQLException {
    sql(
        "INSERT INTO queues (project_id, name, max_concurrency, per_key_concurrency) SELECT id, '"
            + name
            + "', "
            + limit
            + ", "
            + perKey
            + " FROM projects WHERE name = '"
            + project
            + "'");
  }

  /** Runs a statement; the first column of its first row, or null. */
  @Nullable String sql(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return null;
      }
      try (ResultSet row = statement.getResultSet()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  long number(String sql) throws SQLException {
    return Long.parseLong(String.valueOf(sql(sql)));
  }

  /** A ready job that the ledger knows. */
  long enqueue(String project, String queue, Expectation expectation) throws SQLException {
    return enqueue(project, queue, expectation, "NULL");
  }

  long enqueue(String project, String queue, Expectation expectation, String key)
      throws SQLException {
    long job =
        number(
            """
            INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, concurrency_key)
            SELECT q.project_id, q.id, 'work', 'ready', micros(clock_timestamp()), clock_timestamp(), %s
              FROM queues q JOIN projects p ON p.id = q.project_id
             WHERE p.name = '%s' AND q.name = '%s' RETURNING id
            """
                .formatted(key, project, queue));
    ledger.accepted(job, new Ledger.Accepted(project, queue, expectation));
    return job;
  }

  /** Claims up to so many jobs of a queue, and begins their handlers. */
  List<Claim> claim(long worker, String project, String queue, int most) throws SQLException {
    List<Claim> claims = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT c.id, c.lease_token, c.attempt
                  FROM queues q JOIN projects p ON p.id = q.project_id,
                       claim(%d, 1, ARRAY[q.id], ARRAY[%d],
                             array_fill('-9223372036854775808'::bigint, ARRAY[1, 10]),
                             array_fill(0::bigint, ARRAY[1, 10])) c
                 WHERE p.name = '%s' AND q.name = '%s' ORDER BY c.id
                """
                    .formatted(worker, most, project, queue))) {
      while (row.next()) {
        claims.add(
            new Claim(
                row.getLong(1), row.getLong(2), row.getInt(3), project + "/" + queue, worker));
      }
    }
    claims.forEach(claim -> effect("begin", claim));
    return claims;
  }

  Claim claimOne(long worker, String project, String queue) throws SQLException {
    return claim(worker, project, queue, 1).get(0);
  }

  /** The handler ends so, and then its lease. */
  void settle(Claim claim, String outcome) throws SQLException {
    end(claim, outcome);
    sql(
        """
        SELECT verdict FROM settle(%d, '{%d}', '{%d}', (SELECT ARRAY[workflow_id] FROM jobs WHERE id = %d),
          '{%s}', NULL, %s, NULL, NULL, NULL, '{"0 s"}', NULL)
        """
            .formatted(
                claim.worker(),
                claim.job(),
                claim.token(),
                claim.job(),
                outcome,
                outcome.equals("succeeded") ? "NULL" : "'{asked}'"));
    sql("SELECT count(*) FROM promote_due(100)");
  }

  /** The handler ends so, whatever became of its lease. */
  void end(Claim claim, String outcome) {
    effect("end", claim);
    String[] line = effects.get(effects.size() - 1);
    String[] longer = java.util.Arrays.copyOf(line, line.length + 1);
    longer[line.length] = outcome;
    effects.set(effects.size() - 1, longer);
  }

  /** A worker dies, and the reaper ends what it had. */
  void lose(long worker) throws SQLException {
    sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = " + worker);
    sql("SELECT count(*) FROM rescue_jobs(100, false)");
  }

  private void effect(String what, Claim claim) {
    String[] place = claim.queue().split("/", -1);
    effects.add(
        new String[] {
          what,
          claim.job() + "",
          claim.attempt() + "",
          claim.token() + "",
          place[0],
          place[1],
          "work",
          claim.worker() + "",
          "1",
          System.nanoTime() + "",
          "0"
        });
  }

  // ---- forgeries of the effect log

  /** The lines of one lease: begin, then end. */
  List<String[]> lines(long token) {
    return effects.stream().filter(line -> line[3].equals(token + "")).toList();
  }

  void add(String[] line) {
    effects.add(line.clone());
  }

  void remove(Predicate<String[]> which) {
    effects.removeIf(which);
  }

  /** What the judge is given. */
  Evidence evidence(Path folder) throws IOException {
    List<String> lines = effects.stream().map(line -> String.join("\t", line)).toList();
    Files.write(folder.resolve("worker-1-1.effects"), lines);
    return new Evidence(database::superuser, folder, ledger, observations, true, cutOff);
  }

  /** What an observer would have seen of the limits, which nobody edits here. */
  Observations observed() throws SQLException {
    int limited = (int) number("SELECT id FROM queues WHERE name = 'limited'");
    int keyed = (int) number("SELECT id FROM queues WHERE name = 'keyed'");
    Map<Integer, List<Observations.Rule>> rules =
        Map.of(
            limited, List.of(new Observations.Rule(0, Long.MAX_VALUE, 2, null)),
            keyed, List.of(new Observations.Rule(0, Long.MAX_VALUE, null, 1)));
    long narrowest = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < 20; i++) {
      long before = System.nanoTime();
      long micros = number("SELECT micros(clock_timestamp())");
      long width = System.nanoTime() - before;
      if (width < narrowest) {
        narrowest = width;
        offset = before + width / 2 - micros * 1000;
      }
    }
    return new Observations(10, 0, 20, List.of(), 0, rules, offset, narrowest / 2, 100);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
