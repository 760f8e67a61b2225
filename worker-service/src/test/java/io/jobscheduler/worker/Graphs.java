package io.jobscheduler.worker;

import io.jobscheduler.schema.testing.TestDatabase;

/** Stores workflows of project {@code shop}, one member at a time, as their submission does. */
final class Graphs {
  private final TestDatabase database;
  private final int queue;

  Graphs(TestDatabase database, int queue) {
    this.database = database;
    this.queue = queue;
  }

  /** A workflow without members yet; its id. */
  int workflow() {
    return Integer.parseInt(
        database.sql(
            "INSERT INTO workflows (project_id, name, job_count) SELECT project_id, 'w', 0 FROM queues"
                + " WHERE id = "
                + queue
                + " RETURNING id"));
  }

  /** A member that waits for the success of others; ready when there are none. Its job's id. */
  long member(int workflow, String key, String type, String payload, long... parents) {
    long id =
        Long.parseLong(
            database.sql(
                "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, payload,"
                    + " workflow_id, workflow_key, has_dependencies, has_dependents, ready_at) SELECT"
                    + " q.project_id, q.id, '"
                    + type
                    + "', 'blocked', micros(w.created_at), "
                    + (payload == null ? "NULL" : "'" + payload + "'")
                    + ", w.id, '"
                    + key
                    + "', "
                    + (parents.length > 0)
                    + ", true, NULL FROM queues q, workflows w WHERE q.id = "
                    + queue
                    + " AND w.id = "
                    + workflow
                    + " RETURNING id"));
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key) VALUES ("
            + workflow
            + ", "
            + id
            + ", '"
            + key
            + "')");
    database.sql("UPDATE workflows SET job_count = job_count + 1 WHERE id = " + workflow);
    for (long parent : parents) {
      database.sql(
          "INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES ("
              + id
              + ", "
              + parent
              + ", "
              + workflow
              + ")");
    }
    return id;
  }

  /** Lets the members without parents start. */
  void release(int workflow) {
    database.sql(
        "UPDATE jobs SET state = 'ready', ready_at = clock_timestamp() WHERE NOT has_dependencies"
            + " AND state = 'blocked' AND workflow_id = "
            + workflow);
  }

  /** The members' keys and states, by key. */
  String states(int workflow) {
    return database.sql(
        "SELECT string_agg(workflow_key || '=' || state, ' ' ORDER BY workflow_key) FROM all_jobs"
            + " WHERE workflow_id = "
            + workflow);
  }
}
