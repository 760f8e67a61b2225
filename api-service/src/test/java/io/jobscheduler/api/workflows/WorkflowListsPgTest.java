package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WorkflowListsPgTest {
  private static final Instant FIRST = Instant.parse("2030-01-01T00:00:00Z");

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private WorkflowLists lists;
  private int project;

  @BeforeEach
  void open() {
    lists =
        new WorkflowLists(
            TestProjects.api(database),
            new WorkflowListStore(),
            new WorkflowStore(TestProjects.api(database)));
    project = TestProjects.create(database, "p");
  }

  /** Number n (from 1) is created n minutes after FIRST, named by n modulo 3. */
  private void make(int count, String finalState) {
    database.sql(
        """
        INSERT INTO jobs.workflows (project_id, name, job_count, created_at, final_state, finished_at)
        SELECT %d, 'n' || n %% 3, 1, timestamptz '2030-01-01 00:00:00Z' + n * interval '1 minute', %s,
               CASE WHEN %2$s IS NOT NULL THEN clock_timestamp() END
          FROM generate_series(1, %d) n
        """
            .formatted(project, finalState, count));
  }

  private static Instant minute(int n) {
    return FIRST.plusSeconds(60L * n);
  }

  private Page<Workflow> list(WorkflowFilter filter, @Nullable String cursor, int limit) {
    return lists.list(project, filter, cursor, limit);
  }

  private List<Long> minutes(WorkflowFilter filter, int limit) {
    List<Long> found = new ArrayList<>();
    String cursor = null;
    do {
      Page<Workflow> page = list(filter, cursor, limit);
      page.items()
          .forEach(w -> found.add((w.createdAt().getEpochSecond() - FIRST.getEpochSecond()) / 60));
      cursor = page.nextCursor();
    } while (cursor != null);
    return found;
  }

  @Test
  void pagesThroughAllByNameAndByAge() {
    make(9, "'failed'");
    assertEquals(List.of(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L), minutes(WorkflowFilter.ALL, 2));
    assertEquals(List.of(7L, 4L, 1L), minutes(new WorkflowFilter(null, "n1", null, null), 1));
    WorkflowFilter some = new WorkflowFilter(null, null, minute(3), minute(6));
    assertEquals(List.of(5L, 4L, 3L), minutes(some, 2));
    assertEquals(3, list(some, null, 1).count().value());
    assertEquals(List.of(7L, 4L, 1L), minutes(new WorkflowFilter("failed", "n1", null, null), 2));
    assertEquals(List.of(), minutes(new WorkflowFilter("succeeded", null, null, null), 2));
  }

  /** A state that is derived is looked for; a page that found none still leads on. */
  @Test
  void findsADerivedStateBehindManyOthers() {
    make(WorkflowLists.SCANNED + 5, "NULL");
    // Of those without a live job none runs; the oldest one has one.
    database.sql(
        """
        INSERT INTO jobs.jobs (project_id, queue_id, type, state, dispatch_key, workflow_id)
        SELECT %d, q.id, 't', 'ready', 0, (SELECT min(w.id) FROM jobs.workflows w)
          FROM jobs.queues q WHERE q.project_id = %1$d
        """
            .formatted(project));
    WorkflowFilter running = new WorkflowFilter("running", null, null, null);
    assertEquals(List.of(), list(running, null, 10).items());
    assertEquals(List.of(1L), minutes(running, 10));
  }

  /** Without the index a page of a project with many workflows would read all of them. */
  @Test
  void eachListReadsItsPageOfOneIndex() throws SQLException {
    make(3_000, "'succeeded'");
    make(30, "'failed'");
    make(30, "NULL");
    database.sql("ANALYZE jobs.workflows");
    for (List<String> which :
        List.of(
            List.of("LIST_ALL", "workflows_project"),
            List.of("LIST_BY_NAME", "workflows_name"),
            List.of("LIST_ENDED", "workflows_final"),
            List.of("LIST_LIVE", "workflows_live"))) {
      String plan = plan(constant(which.get(0)));
      assertTrue(
          plan.contains("Scan Backward using " + which.get(1) + " ") && !plan.contains("Sort"),
          which.get(0) + "\n" + plan);
    }
  }

  private String constant(String name) {
    try {
      Field field = WorkflowListStore.class.getDeclaredField(name);
      field.setAccessible(true);
      return ((String) field.get(null))
          .replace(":project", Integer.toString(project))
          .replace(":name", "'n1'")
          .replace(":state", "'failed'")
          .replace(":beforeId", "9223372036854775807")
          .replaceAll("(?<!:):before", "'infinity'")
          .replaceAll("(?<!:):after", "'-infinity'")
          .replace(":limit", "51");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private String plan(String sql) throws SQLException {
    try (Connection api = database.connect(Role.API);
        Statement statement = api.createStatement()) {
      statement.execute(
          "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off");
      StringBuilder plan = new StringBuilder();
      try (ResultSet rows = statement.executeQuery("EXPLAIN (COSTS OFF) " + sql)) {
        while (rows.next()) {
          plan.append(rows.getString(1)).append('\n');
        }
      }
      return plan.toString();
    }
  }
}
