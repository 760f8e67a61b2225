package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeadLetterPlanPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private String scansOutside(String indexes) {
    return database.sql(
        """
        SELECT string_agg(DISTINCT s.name, ', ') FROM (
          SELECT relname AS name FROM pg_stat_user_tables WHERE relname LIKE 'finished\\_jobs%%' AND seq_scan > 0
          UNION ALL
          SELECT indexrelname FROM pg_stat_user_indexes
           WHERE relname LIKE 'finished\\_jobs%%' AND idx_scan > 0 AND indexrelname !~ '%s') s
        """
            .formatted(indexes));
  }

  /**
   * Groups, the list and the redrive's pick find their rows by finished_jobs_fingerprint, however
   * many other jobs have ended, and although the planner has never counted the rows.
   */
  @Test
  void everyLookAtDeadJobsGoesByTheirFingerprint() throws SQLException {
    int project = TestProjects.create(database, "p");
    database.sql("SELECT ensure_partitions()");
    database.sql(
        """
        INSERT INTO finished_jobs (id, lease_token, created_at, finished_at, retain_until, project_id, queue_id,
            attempt, max_attempts, attempt_rows, returned, priority, has_dependencies, has_dependents, state, type,
            error_kind, error_fingerprint)
        SELECT n, n, now(), now(), retention_bound(retention_today(), n %% 25), %d, 1, 1, 1, 0, 0, 4, false, false,
               CASE WHEN n %% 2 = 0 THEN 'succeeded' ELSE 'dead' END, 't', 'boom',
               CASE WHEN n %% 2 = 1 THEN 'f' || n %% 40 END
          FROM generate_series(1, 20000) n
        """
            .formatted(project));
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("SELECT pg_stat_reset()");
    }

    Jdbi jdbi = TestProjects.api(database);
    DeadLetterStore store = new DeadLetterStore(jdbi);
    JobLists lists = TestJobLists.over(jdbi);
    assertEquals(20, store.findGroups(project, Long.MAX_VALUE, 50).groups().size());
    assertEquals(300, store.oldestOfGroup(project, "f1", 300).size());
    assertEquals(500, store.countGroup(project, "f1").value());
    JobFilter filter = JobFilter.of(List.of("dead"), null, null, null).ofError("f1");
    assertEquals(500, lists.list(project, filter, Long.MAX_VALUE, 10).count().value());
    // The rows of a page, and the newest job of a group, are read by id.
    assertEquals(null, scansOutside("(error_fingerprint_id_idx|pkey)$"));
  }
}
