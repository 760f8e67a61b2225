package io.jobscheduler.schema.jobs;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A workflow by the keys of its members, run by one worker. */
final class Flow {
  final int id;
  private final TestDatabase database;
  private final Sql sql;
  private final int project;
  private final int queue;
  private final Map<String, Long> ids = new HashMap<>();

  Flow(TestDatabase database, Sql sql, int project, int queue, String onFailure) {
    this.database = database;
    this.sql = sql;
    this.project = project;
    this.queue = queue;
    this.id =
        sql.number(
            "INSERT INTO workflows (project_id, name, on_failure, job_count) VALUES (%d, 'w', '%s', 0) RETURNING id"
                .formatted(project, onFailure));
  }

  /** A member that waits for the success of others. */
  Flow job(String key, String... parents) {
    return add(key, null, null, parents);
  }

  /** A gate; a payload as SQL. */
  Flow gate(String key, String gate, String payload, String... parents) {
    return add(key, gate, payload, parents);
  }

  private Flow add(String key, String gate, String payload, String... parents) {
    boolean waits = parents.length > 0 || gate != null;
    long job =
        sql.ids(
                """
                INSERT INTO jobs (project_id, queue_id, type, state, workflow_id, workflow_key, dispatch_key, ready_at,
                                  has_dependencies, gate, payload)
                VALUES (%d, %d, 'echo', '%s', %d, '%s', 5, %s, %s, %s, %s) RETURNING id
                """
                    .formatted(
                        project,
                        queue,
                        waits ? "blocked" : "ready",
                        id,
                        key,
                        waits ? "NULL" : "clock_timestamp()",
                        parents.length > 0,
                        gate == null ? "NULL" : "'" + gate + "'",
                        payload == null ? "NULL" : "'" + payload + "'"))
            .get(0);
    ids.put(key, job);
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key) VALUES (%d, %d, '%s'); UPDATE workflows SET job_count = job_count + 1 WHERE id = %1$d"
            .formatted(id, job, key));
    Arrays.stream(parents).forEach(parent -> edge(parent, key, "success"));
    return this;
  }

  Flow edge(String parent, String child, String on) {
    database.sql(
        """
        INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome) VALUES (%d, %d, %d, '%s');
        UPDATE jobs SET has_dependencies = true, state = 'blocked', ready_at = NULL WHERE id = %1$d;
        UPDATE jobs SET has_dependents = true WHERE id = %2$d
        """
            .formatted(id(child), id(parent), id, on));
    return this;
  }

  /** Marks a member's join. */
  Flow join(String key, String mode) {
    database.sql("UPDATE jobs SET join_mode = '%s' WHERE id = %d".formatted(mode, id(key)));
    return this;
  }

  long id(String key) {
    return ids.computeIfAbsent(
        key,
        k ->
            sql.ids(
                    "SELECT job_id FROM workflow_members WHERE workflow_id = %d AND key = '%s'"
                        .formatted(id, k))
                .get(0));
  }

  List<Sql.Claimed> claim(Connection worker, int wanted) throws SQLException {
    return sql.claim(worker, 1, 1, queue, wanted);
  }

  /** Claims what is ready and ends the members named so; the others are given back. */
  Flow end(Connection worker, String outcome, String... keys) throws SQLException {
    List<Long> wanted = Arrays.stream(keys).map(this::id).toList();
    List<Sql.Claimed> claimed = claim(worker, 1000);
    List<Sql.Claimed> these = claimed.stream().filter(c -> wanted.contains(c.id())).toList();
    if (these.size() < keys.length) {
      throw new AssertionError(Arrays.toString(keys) + " are not all ready: " + states());
    }
    List<Sql.Claimed> others = claimed.stream().filter(c -> !wanted.contains(c.id())).toList();
    sql.settle(worker, 1, others, "released");
    sql.settle(worker, 1, these, outcome, "succeeded".equals(outcome) ? "1" : null);
    drain();
    return this;
  }

  /** Until no ended parent waits to be told. */
  void drain() {
    while ("more"
        .equals(database.sql("SELECT kind FROM release_pending(200) WHERE kind = 'more'"))) {
      // until nothing is pending
    }
  }

  /** The state of each member, by key. */
  Map<String, String> states() {
    Map<String, String> states = new TreeMap<>();
    String rows =
        database.sql(
            "SELECT string_agg(workflow_key || '=' || state, ' ') FROM all_jobs WHERE workflow_id = "
                + id);
    for (String row : rows == null ? new String[0] : rows.split(" ")) {
      states.put(row.substring(0, row.indexOf('=')), row.substring(row.indexOf('=') + 1));
    }
    return states;
  }

  /** Its members, sorted, as "a=ready b=blocked". */
  String shown() {
    return String.join(
        " ", states().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }

  String column(String key, String expression) {
    return database.sql("SELECT %s FROM all_jobs WHERE id = %d".formatted(expression, id(key)));
  }

  String status() {
    return database.sql("SELECT state FROM workflow_status WHERE id = " + id);
  }
}
