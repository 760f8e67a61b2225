package io.jobscheduler.scheduler.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RetentionPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private RetentionLoop retention;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    new Jobs(database);
    retention =
        new RetentionLoop(
            rig.leadership,
            rig.transactions,
            Configs.of(RetentionConfig.class),
            rig.loops,
            rig.clock);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void makesThePartitionsOfTwoYearsAhead() throws Exception {
    dropAll();

    retention.runOnce();

    int jobs = partitions("finished_jobs");
    assertTrue(jobs >= 60 && jobs <= 80, "partitions: " + jobs);
    assertEquals(jobs, partitions("finished_attempts"));
    assertEquals(
        "true",
        database.sql(
            "SELECT bool_and(to_regclass('finished_jobs_' || to_char(retention_bound("
                + "retention_today(), d), 'YYYYMMDD')) IS NOT NULL)::text"
                + " FROM generate_series(0, 730) d"));
  }

  @Test
  void makesThoseOfTheOtherDaysWhenOneLiesInTheDefaultPartition() throws Exception {
    dropAll();
    database.sql(
        "INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id,"
            + " queue_id, attempt, max_attempts, attempt_rows, returned, priority,"
            + " has_dependencies, has_dependents, state, type) VALUES (1, now(), now(),"
            + " retention_today() + 3, 1, 1, 1, 1, 0, 0, 4, false, false, 'succeeded', 't')");

    retention.runOnce();

    assertEquals(partitions("finished_attempts") - 1, partitions("finished_jobs"));
  }

  @Test
  void dropsEveryPartitionWhoseDayHasPassed() throws Exception {
    retention.runOnce();
    int wanted = partitions("finished_jobs");
    addExpired("20200101");
    addExpired("20200102");
    rig.clock.advance(Duration.ofHours(1));

    retention.runOnce();

    assertEquals(wanted, partitions("finished_jobs"));
    assertEquals(wanted, partitions("finished_attempts"));
  }

  @Test
  void readerInTheWayOnlyPutsTheDropOff() throws Exception {
    retention.runOnce();
    addExpired("20200101");
    int before = partitions("finished_jobs");
    rig.clock.advance(Duration.ofHours(1));
    try (Connection reader = database.connect(Role.OWNER);
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("SELECT count(*) FROM jobs.finished_jobs");
      // Returns although the reader stays: it waits 100 ms at most, and does not throw.
      retention.runOnce();
      assertEquals(before, partitions("finished_jobs"));
      reader.rollback();
    }

    rig.clock.advance(Duration.ofMinutes(1));
    retention.runOnce();
    assertEquals(before - 1, partitions("finished_jobs"));
  }

  @Test
  void newTermBeginsWithALook() throws Exception {
    retention.runOnce();
    dropAll();
    retention.runOnce();
    assertEquals(0, partitions("finished_jobs"), "the hour is not over");

    rig.leadership.close();
    rig.leadership.runOnce();
    retention.runOnce();
    assertNotEquals(0, partitions("finished_jobs"));
  }

  @Test
  void logsGoByTheDayTheyWereWritten() throws Exception {
    database.sql(
        "CREATE TABLE job_logs_20200101 PARTITION OF job_logs FOR VALUES IN ('2020-01-01')");
    for (String day : new String[] {"'2020-01-01'", "'2020-01-02'", "retention_today() - 14"}) {
      database.sql(
          "INSERT INTO job_logs (job_id, lease_token, logged_at, line, written_on, level, message)"
              + " VALUES (1, 1, now(), 1, "
              + day
              + ", 'info', 'x')");
    }
    database.sql(
        "INSERT INTO job_progress (job_id, lease_token, fraction, updated_at)"
            + " VALUES (1, 1, 0.5, now() - interval '2 hours'), (2, 2, 0.5, now())");

    retention.runOnce();

    assertEquals(4, partitions("job_logs"), "today and three days ahead");
    assertEquals("1", database.sql("SELECT count(*) FROM job_logs"));
    assertEquals("2", database.sql("SELECT string_agg(job_id::text, ' ') FROM job_progress"));
    assertEquals("0", database.sql("SELECT ensure_log_partitions(3, 10)"));
  }

  private void addExpired(String day) {
    for (String table : new String[] {"finished_jobs", "finished_attempts"}) {
      database.sql(
          "CREATE TABLE "
              + table
              + "_"
              + day
              + " PARTITION OF "
              + table
              + " FOR VALUES IN ('"
              + day
              + "')");
    }
  }

  private void dropAll() {
    database.sql(
        "DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT inhrelid::regclass FROM pg_inherits"
            + " WHERE inhparent IN ('finished_jobs'::regclass, 'finished_attempts'::regclass)"
            + " AND inhrelid::regclass::text NOT LIKE '%default'"
            + " LOOP EXECUTE 'DROP TABLE ' || t; END LOOP; END $$");
  }

  private int partitions(String table) {
    return Integer.parseInt(
        database.sql(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = '"
                + table
                + "'::regclass AND inhrelid::regclass::text NOT LIKE '%default'"));
  }

  @Test
  void partitionThatCannotBeDroppedHoldsUpNoOther() throws Exception {
    retention.runOnce();
    int wanted = partitions("finished_jobs");
    addExpired("20200101");
    addExpired("20200102");
    database.sql("CREATE VIEW depends AS SELECT id FROM finished_jobs_20200101");
    rig.clock.advance(Duration.ofHours(1));

    retention.runOnce();

    assertEquals(wanted + 1, partitions("finished_jobs"));
    database.sql("DROP VIEW depends");
    rig.clock.advance(Duration.ofHours(1));
    retention.runOnce();
    assertEquals(wanted, partitions("finished_jobs"));
  }

  @Test
  void rowsOfTheDefaultPartitionGoInBatchesOnceTheyAreDue() throws Exception {
    retention.runOnce();
    finished(25, "retention_today() - 400", "NULL", "succeeded");
    finished(2, "retention_today() + 5000", "NULL", "succeeded");
    assertEquals(
        10,
        rig.transactions.run(rig.term(), t -> RetentionStore.deleteDueDefaults(t, 10)).intValue());
    rig.clock.advance(Duration.ofHours(1));

    retention.runOnce();

    assertEquals("2", database.sql("SELECT count(*) FROM finished_jobs_default"));
  }

  /** Symptom: a workflow that outlived its failed member's retention ended as succeeded. */
  @Test
  void workflowOutlivesAFailedMembersRetentionAsFailed() throws Exception {
    retention.runOnce();
    addExpired("20200101");
    for (String state : new String[] {"dead", "cancelled", "succeeded"}) {
      String flow =
          database.sql(
              "INSERT INTO workflows (project_id, name, job_count) VALUES (1, '"
                  + state
                  + "', 2) RETURNING id");
      finished(1, "'2020-01-01'", flow, state);
      finished(1, "retention_today() + 3", flow, "succeeded");
    }
    String late =
        database.sql(
            "INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'default', 1) RETURNING id");
    finished(1, "'2020-01-02'", late, "skipped");
    database.sql(
        "UPDATE finished_jobs SET state_reason = 'dependency-failed' WHERE state = 'skipped'");
    rig.clock.advance(Duration.ofHours(1));

    retention.runOnce();

    assertEquals("3", database.sql("SELECT count(*) FROM finished_jobs"));
    assertEquals(
        "cancelled=cancelled dead=failed default=failed succeeded=succeeded",
        database.sql(
            "SELECT string_agg(name || '=' || state, ' ' ORDER BY name) FROM workflow_status"));
    assertEquals(
        "cancelled failed failed succeeded",
        database.sql(
            "SELECT string_agg(final_state, ' ' ORDER BY final_state) FROM finish_workflows(10)"));
  }

  @Test
  void workflowStaysUntilItsLastMemberHasGoneAndThenGoesInBatches() throws Exception {
    retention.runOnce();
    String flow =
        database.sql(
            "INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'w', 40) RETURNING id");
    finished(20, "'2020-01-01'", flow, "succeeded");
    finished(20, "retention_today() + 3", flow, "succeeded");
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key) SELECT workflow_id, id, 'k' || id"
            + " FROM finished_jobs");
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id)"
            + " SELECT id + 1, id, workflow_id FROM finished_jobs");
    database.sql("SELECT count(*) FROM finish_workflows(10)");
    rig.clock.advance(Duration.ofHours(1));
    retention.runOnce();
    assertEquals("40", database.sql("SELECT count(*) FROM workflow_members"));

    database.sql("DELETE FROM finished_jobs");
    database.sql("UPDATE workflows SET retain_until = retention_today() - 1");
    assertEquals(
        50,
        rig.transactions.run(rig.term(), t -> RetentionStore.forgetWorkflows(t, 50)).intValue());
    assertEquals("1", database.sql("SELECT count(*) FROM workflows"));
    rig.clock.advance(Duration.ofHours(1));
    retention.runOnce();
    assertEquals(
        "0 0 0",
        database.sql(
            "SELECT (SELECT count(*) FROM workflows) || ' ' || (SELECT count(*) FROM"
                + " workflow_members) || ' ' || (SELECT count(*) FROM dependencies)"));
  }

  @Test
  void searchTermsGoWithTheirJobs() throws Exception {
    retention.runOnce();
    finished(30, "'2020-01-01'", "NULL", "succeeded");
    finished(2, "retention_today() + 5000", "NULL", "dead");
    database.sql(
        "INSERT INTO search_terms (queue_id, term, job_id) SELECT 1, n % 3, f.id"
            + " FROM finished_jobs f, generate_series(1, 2) n");
    addTermsOfLiveJob();
    addExpired("20190101");
    rig.clock.advance(Duration.ofHours(1));

    retention.runOnce();

    assertEquals("5", database.sql("SELECT count(*) FROM search_terms"), "two dead, one live");
    assertEquals("2", database.sql("SELECT count(*) FROM finished_jobs"));
  }

  private void addTermsOfLiveJob() {
    database.sql(
        "WITH j AS (INSERT INTO jobs (dispatch_key, project_id, queue_id, state, type)"
            + " VALUES (0, 1, 1, 'ready', 't') RETURNING id)"
            + " INSERT INTO search_terms (queue_id, term, job_id) SELECT 1, 7, j.id FROM j");
  }

  private void finished(int count, String retainUntil, String workflow, String state) {
    database.sql(
        "INSERT INTO finished_jobs (id, created_at, finished_at, retain_until, project_id, queue_id,"
            + " workflow_id, attempt, max_attempts, attempt_rows, returned, priority,"
            + " has_dependencies, has_dependents, state, type) SELECT nextval('job_id_seq'), now(),"
            + " now(), "
            + retainUntil
            + ", 1, 1, "
            + workflow
            + ", 1, 1, 0, 0, 4, false, false, '"
            + state
            + "', 't' FROM generate_series(1, "
            + count
            + ")");
  }
}
