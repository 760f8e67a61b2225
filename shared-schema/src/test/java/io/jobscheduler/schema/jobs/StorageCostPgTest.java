package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a job's whole life, from insert to finished, costs in write-ahead log. */
class StorageCostPgTest {
  private static final int JOBS = 20_000;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void aJobCostsAtMost1500BytesOfWal() throws SQLException {
    Sql sql = new Sql(database);
    database.sql("SELECT ensure_partitions()");
    int queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    try (Connection worker = sql.asWorker()) {
      drain(sql, worker, queue, 5_000); // warms pages and plans
      database.sql("SELECT pg_stat_force_next_flush()");
      String before = lsn();
      drain(sql, worker, queue, JOBS);
      long wal =
          Long.parseLong(database.sql("SELECT pg_current_wal_lsn() - '%s'".formatted(before)));
      System.out.printf("WAL per job, insert to finished: %d bytes%n", wal / JOBS);
      assertTrue(wal / JOBS <= 1_500, "WAL bytes per job: " + wal / JOBS);
      assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
      assertEquals(
          Integer.toString(JOBS + 5_000), database.sql("SELECT count(*) FROM finished_jobs"));
    }
  }

  private String lsn() {
    return database.sql("SELECT pg_current_wal_lsn()");
  }

  private static void drain(Sql sql, Connection worker, int queue, int jobs) throws SQLException {
    sql.ready(queue, jobs);
    for (int claim = 1; claim <= jobs / 100; claim++) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, claim, queue, 100);
      assertEquals(100, claimed.size());
      sql.settle(worker, 1, claimed, new Integer[100], "succeeded", "{}");
    }
  }
}
