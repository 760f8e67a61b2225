package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Instants are instants, whatever zone a server, a role or a session has. */
class ClocksPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void everyTimeColumnHasAZone() {
    assertNull(
        database.sql(
            """
            SELECT string_agg(table_name || '.' || column_name, ', ') FROM information_schema.columns
             WHERE table_schema = 'jobs' AND data_type IN ('timestamp without time zone', 'time without time zone')
               AND table_name <> 'schema_history'
            """));
  }

  /** A day of retention, too: the writer's own would need other partitions than the leader made. */
  @Test
  void sessionsOfDifferentZonesWriteTheSame() throws SQLException {
    Sql sql = new Sql(database);
    int queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    sql.ready(queue, 3);
    int n = 0;
    for (String zone : List.of("Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati")) {
      try (Connection worker = sql.asWorker();
          Statement statement = worker.createStatement()) {
        statement.execute("SET timezone = '" + zone + "'");
        sql.settle(worker, 1, sql.claim(worker, 1, ++n, queue, 1), "succeeded");
      }
    }
    assertEquals(
        "3 1 true",
        database.sql(
            """
            SELECT count(*) || ' ' || count(DISTINCT retain_until) || ' '
                   || bool_and(finished_at BETWEEN started_at AND clock_timestamp()
                               AND retain_until = (finished_at AT TIME ZONE 'UTC')::date + 7)
              FROM finished_jobs
            """));
  }
}
