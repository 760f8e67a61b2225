package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.state.JobState;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PartitionsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void thereAreAtMostAboutSeventyFiveAndASecondCallMakesNone() {
    database.sql("SELECT ensure_partitions()");
    int partitions =
        Integer.parseInt(
            database.sql(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'jobs.finished_jobs'::regclass"));
    assertTrue(partitions >= 70 && partitions <= 78, "partitions: " + partitions);
    assertEquals("0", database.sql("SELECT ensure_partitions()"));
  }

  /** Symptom elsewhere: cancelled jobs were never forgotten, or failures as fast as successes. */
  @Test
  void everyEndIsKeptByItsOwnRule() {
    Sql sql = new Sql(database);
    int queue = sql.queue(sql.project("acme"), "default", null);
    database.sql("UPDATE queues SET retain_finished_days = 2, retain_dead_days = 25");
    database.sql("SELECT ensure_partitions()");
    for (JobState state : JobState.values()) {
      if (state.isTerminal()) {
        database.sql(
            "SELECT finish_jobs('{%d}', '%s', NULL)"
                .formatted(sql.ready(queue, 1).get(0), state.label()));
      }
    }
    database.sql(
        "SELECT finish_jobs('{%d}', 'cancelled', 'expired')".formatted(sql.ready(queue, 1).get(0)));
    assertEquals(
        "cancelled 2, cancelled 2, dead 25, skipped 2, succeeded 2",
        database.sql(
            """
            SELECT string_agg(f.state || ' ' || f.retain_until - retention_today(), ', ' ORDER BY f.state)
              FROM finished_jobs f
            """));
    assertEquals("0", database.sql("SELECT count(*) FROM finished_jobs_default"));
  }

  @Test
  void everyRetentionHasItsPartitionTodayAndTomorrow() {
    assertEquals(
        "0",
        database.sql(
            """
            SELECT count(*)
              FROM generate_series(0, 60) AS n,
                   LATERAL (
                     SELECT retention_bound(retention_today() + n + t, d)
                       FROM generate_series(0, 730) AS d, generate_series(0, 1) AS t
                     EXCEPT
                     SELECT bound FROM wanted_partitions(retention_today() + n)) AS missing
            """));
    assertEquals("infinity", database.sql("SELECT retention_bound(retention_today(), NULL)"));
    assertEquals(
        "true",
        database.sql(
            "SELECT bool_and(retention_bound(retention_today(), d) >= retention_today() + d)::text FROM generate_series(0, 730) d"));
  }

  @Test
  void lookUpByIdProbesEachPartitionOnce() throws SQLException {
    database.sql("SELECT ensure_partitions()");
    try (Connection owner = database.superuser();
        Statement statement = owner.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "EXPLAIN (ANALYZE, BUFFERS, FORMAT TEXT) SELECT state FROM jobs.all_jobs WHERE id = 42")) {
      int scans = 0;
      while (rows.next()) {
        String line = rows.getString(1);
        assertTrue(!line.contains("Seq Scan"), line);
        scans += line.contains("Index Scan") || line.contains("Bitmap Index Scan") ? 1 : 0;
      }
      assertTrue(scans >= 70 && scans <= 80, "index scans: " + scans);
    }
  }

  @Test
  void expiredPartitionsGoOneByOne() {
    database.sql(
        """
        CREATE TABLE finished_jobs_20200101 PARTITION OF finished_jobs FOR VALUES IN ('2020-01-01');
        CREATE TABLE finished_attempts_20200101 PARTITION OF finished_attempts FOR VALUES IN ('2020-01-01')
        """);
    assertEquals("2020-01-01", database.sql("SELECT drop_expired_partition()"));
    assertEquals(null, database.sql("SELECT drop_expired_partition()"));
    assertEquals(null, database.sql("SELECT to_regclass('jobs.finished_attempts_20200101')"));
  }
}
