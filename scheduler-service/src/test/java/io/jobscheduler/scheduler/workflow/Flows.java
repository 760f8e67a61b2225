package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stores workflows as a submission does, in the project and queue of {@link Jobs}. */
final class Flows {
  private final TestDatabase database;

  Flows(TestDatabase database) {
    this.database = database;
  }

  /**
   * Stores a workflow.
   *
   * @param keys job keys in the order of their ids, separated by spaces
   * @param edges such as {@code "a>b a>c"}
   * @return its id
   */
  int submit(String keys, String edges) {
    int workflow = newWorkflow(keys.split(" ", -1).length);
    Map<String, Long> ids = new LinkedHashMap<>();
    List<String> targets = List.of(edges.split("[ >]", -1));
    for (String key : keys.split(" ", -1)) {
      boolean waits = false;
      for (int i = 1; i < targets.size(); i += 2) {
        waits |= targets.get(i).equals(key);
      }
      ids.put(key, insertJob(workflow, key, waits));
    }
    for (int i = 0; i + 1 < targets.size(); i += 2) {
      edge(workflow, ids.get(targets.get(i)), ids.get(targets.get(i + 1)));
    }
    return workflow;
  }

  private int newWorkflow(int jobs) {
    return Integer.parseInt(
        database.sql(
            "INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'w', "
                + jobs
                + ") RETURNING id"));
  }

  private long insertJob(int workflow, String key, boolean waits) {
    long id =
        Long.parseLong(
            database.sql(
                "INSERT INTO jobs (project_id, queue_id, type, dispatch_key, state, workflow_id,"
                    + " workflow_key, has_dependencies, has_dependents, ready_at)"
                    + " SELECT 1, 1, 't', micros(w.created_at), "
                    + (waits ? "'blocked'" : "'ready'")
                    + ", w.id, '"
                    + key
                    + "', "
                    + waits
                    + ", true, clock_timestamp() FROM workflows w WHERE w.id = "
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
    return id;
  }

  /** Adds a job behind another one, and asks for a plan, as growth does. */
  void grow(int workflow, String key, String parent) {
    edge(workflow, job(workflow, parent), insertJob(workflow, key, true));
    database.sql("UPDATE workflows SET planned_at = NULL WHERE id = " + workflow);
  }

  /** Stores an edge, valid or not. */
  void edge(int workflow, long parent, long child) {
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES ("
            + child
            + ", "
            + parent
            + ", "
            + workflow
            + ")");
  }

  /** Stores one parent with so many children; the parent's key is n0. */
  int submitFan(int children) {
    return submitNumbered(children + 1, "0");
  }

  /** Stores a chain n0, n1, … of so many jobs. */
  int submitChain(int jobs) {
    return submitNumbered(jobs, "i - 1");
  }

  /** Jobs n0, n1, …; {@code parent} is the number of job i's one parent, in SQL. */
  private int submitNumbered(int jobs, String parent) {
    int workflow = newWorkflow(jobs);
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, dispatch_key, state, workflow_id,"
            + " workflow_key, has_dependencies, has_dependents, ready_at)"
            + " SELECT 1, 1, 't', micros(w.created_at), CASE i WHEN 0 THEN 'ready' ELSE 'blocked'"
            + " END, w.id, 'n' || i, i > 0, true, clock_timestamp()"
            + " FROM workflows w, generate_series(0, "
            + (jobs - 1)
            + ") AS s (i) WHERE w.id = "
            + workflow
            + " ORDER BY i");
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key)"
            + " SELECT workflow_id, id, workflow_key FROM jobs WHERE workflow_id = "
            + workflow);
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id)"
            + " SELECT c.id, p.id, c.workflow_id FROM jobs c JOIN jobs p"
            + " ON p.workflow_id = c.workflow_id"
            + " AND p.workflow_key = 'n' || (SELECT "
            + parent
            + " FROM (SELECT substr(c.workflow_key, 2)::int AS i) n)"
            + " WHERE c.workflow_key <> 'n0' AND c.workflow_id = "
            + workflow);
    return workflow;
  }

  /** The id of a member's job. */
  long job(int workflow, String key) {
    return Long.parseLong(
        database.sql(
            "SELECT job_id FROM workflow_members WHERE workflow_id = "
                + workflow
                + " AND key = '"
                + key
                + "'"));
  }

  /** One line per member, by key: {@code expression} over workflow_members m. */
  String members(int workflow, String expression) {
    return database.sql(
        "SELECT string_agg(m.key || '=' || "
            + expression
            + ", ' ' ORDER BY m.key) FROM workflow_members m WHERE m.workflow_id = "
            + workflow);
  }
}
