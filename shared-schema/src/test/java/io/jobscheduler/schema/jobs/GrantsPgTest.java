package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class GrantsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void reachingIntoAnothersColumnsIsRefused() throws SQLException {
    Map<Role, List<String>> forbidden =
        Map.of(
            Role.WORKER,
                List.of(
                    "UPDATE jobs.jobs SET state = 'ready'",
                    "DELETE FROM jobs.jobs",
                    "SELECT payload FROM jobs.jobs",
                    "SELECT password_hash FROM jobs.users",
                    "SELECT jobs.rescue_jobs(1, true)",
                    "SELECT jobs.end_attempts(NULL, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
                    "UPDATE jobs.workers SET lost_at = NULL"),
            Role.SCHEDULER,
                List.of(
                    "SELECT payload FROM jobs.jobs",
                    "UPDATE jobs.jobs SET state = 'ready'",
                    "SELECT * FROM jobs.signing_keys",
                    "SELECT jobs.claim(1, 1, '{}', '{}', '{}', '{}')"),
            Role.API,
                List.of(
                    "UPDATE jobs.jobs SET state = 'succeeded'",
                    "INSERT INTO jobs.finished_jobs SELECT * FROM jobs.finished_jobs",
                    "UPDATE jobs.queues SET max_concurrency = 1",
                    "UPDATE jobs.users SET issuer = NULL, subject = NULL",
                    "SELECT jobs.promote_due(1)",
                    "SELECT jobs.ensure_partitions()"),
            Role.DASHBOARD,
                List.of(
                    "SELECT id FROM jobs.jobs",
                    "SELECT name FROM jobs.projects",
                    "SELECT jobs.beat(1, 1, false, '{}')"));
    for (Map.Entry<Role, List<String>> entry : forbidden.entrySet()) {
      for (String statement : entry.getValue()) {
        assertEquals(
            "42501", stateOf(entry.getKey(), statement), entry.getKey() + ": " + statement);
      }
    }
  }

  private String stateOf(Role role, String sql) throws SQLException {
    try (Connection connection = database.connect(role);
        Statement statement = connection.createStatement()) {
      return assertThrows(SQLException.class, () -> statement.execute(sql), sql).getSQLState();
    }
  }

  @Test
  void everyDefinerFunctionPinsItsSearchPath() {
    assertEquals(
        null,
        database.sql(
            """
            SELECT string_agg(proname, ', ') FROM pg_proc
             WHERE pronamespace = 'jobs'::regnamespace AND prosecdef
               AND NOT coalesce('search_path=jobs, pg_temp' = ANY (proconfig), false)
            """));
  }

  @Test
  void nothingIsGrantedToEverybody() {
    assertEquals(
        null,
        database.sql(
            """
            SELECT string_agg(proname, ', ') FROM pg_proc
             WHERE pronamespace = 'jobs'::regnamespace
               AND has_function_privilege('public', oid, 'EXECUTE')
            """));
  }
}
