package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schema.testing.TestDatabase;

/** Schedules of one project with one queue, written as the owner. */
final class Schedules {
  /** Planned once, ten seconds ago, and next in nearly an hour. */
  static final String JUST_DUE = "interval '1 hour', interval '10 s'";

  private final TestDatabase database;

  /** Makes the project {@code p} (1) with the queue {@code q} (1). */
  Schedules(TestDatabase database) {
    this.database = database;
    database.sql("INSERT INTO projects (name) VALUES ('p')");
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'q')");
  }

  /**
   * Interval schedules of a job, each of whose planned times is {@code since} ago or a multiple of
   * {@code every} from it, and of which those up to {@code since} ago, exclusive, are decided.
   *
   * @param everyAndSince two SQL intervals
   * @param columns further columns, from {@code ", "} on
   * @param values their values in SQL, from {@code ", "} on, with {@code i} from 1 to count
   */
  void insert(int count, String everyAndSince, String columns, String values) {
    String[] parts = everyAndSince.split(",", -1);
    String since = "date_trunc('second', now()) - " + parts[1];
    database.sql(
        "INSERT INTO schedules (project_id, name, kind, template, job_type, queue_id, every_ms,"
            + " anchor, planned_to, next_fire_at, tzdb_version"
            + columns
            + ") SELECT 1, 's' || i, 'interval', 'job', 't', 1, extract(epoch FROM "
            + parts[0]
            + ") * 1000, "
            + since
            + ", "
            + since
            + " - interval '1 s', "
            + since
            + ", 'test'"
            + values
            + " FROM generate_series(1, "
            + count
            + ") AS g (i)");
  }

  void insert(String everyAndSince, String columns, String values) {
    insert(1, everyAndSince, columns, values);
  }

  /** A live job of schedule 1 in a state without a lease. */
  void insertLiveJob() {
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, schedule_id)"
            + " VALUES (1, 1, 't', 'ready', 1, now(), 1)");
  }

  /** Ends all live jobs in a state. */
  void endJobs(String state) {
    database.sql(
        "SELECT count(*) FROM finish_jobs((SELECT array_agg(id) FROM jobs), '"
            + state
            + "', NULL)");
  }

  /** {@code outcome/trigger/reason} of the fires of schedule 1 in their order, with commas. */
  String fires() {
    return database.sql(
        "SELECT string_agg(concat_ws('/', outcome, trigger, reason), ',' ORDER BY id)"
            + " FROM schedule_fires WHERE schedule_id = 1");
  }

  /** An expression over the row of schedule 1. */
  String of(String expression) {
    return database.sql("SELECT " + expression + " FROM schedules WHERE id = 1");
  }

  /** An expression over all fires of schedule 1. */
  String ofFires(String expression) {
    return database.sql("SELECT " + expression + " FROM schedule_fires WHERE schedule_id = 1");
  }

  /** An expression over all live jobs. */
  String ofJobs(String expression) {
    return database.sql("SELECT " + expression + " FROM jobs");
  }
}
