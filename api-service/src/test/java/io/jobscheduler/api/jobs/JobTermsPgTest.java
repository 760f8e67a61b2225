package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.problem.SqlFailures;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Search in payloads by the paths that a queue declares. */
class JobTermsPgTest {
  private static final String DECLARE =
      "SELECT set_search_paths(q.id, '{%s}') FROM queues q WHERE q.name = 'default'";

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private JobLists lists;
  private int project;

  @BeforeEach
  void open() {
    Jdbi jdbi = TestProjects.api(database);
    lists = TestJobLists.over(jdbi);
    project = TestProjects.create(database, "p");
    database.sql("INSERT INTO queues (project_id, name) VALUES (" + project + ", 'other')");
  }

  private void insert(int count, String queue, String payload) {
    database.sql(
        """
        INSERT INTO jobs (dispatch_key, project_id, queue_id, state, type, payload)
        SELECT 0, q.project_id, q.id, 'ready', 't', '%s' FROM queues q, generate_series(1, %d) WHERE q.name = '%s'
        """
            .formatted(payload, count, queue));
  }

  private String terms() {
    return String.valueOf(database.sql("SELECT count(*) FROM search_terms"));
  }

  private JobLists.JobPage find(String queue, String path, String value) {
    return lists.list(
        project,
        JobFilter.of(List.of(), queue, null, null)
            .matching(
                new JobSearch(
                    null, null, null, null, List.of(new JobSearch.PayloadMatch(path, value)))),
        Long.MAX_VALUE,
        10,
        11);
  }

  private List<String> ids(JobLists.JobPage page) {
    return page.items().stream().map(JobSummary::id).toList();
  }

  @Test
  void jobFarBackIsFoundThroughADeclaredPathOnly() {
    insert(1, "default", "{}");
    database.sql(DECLARE.formatted("order.id,none"));
    insert(1, "default", "{\"order\":{\"id\":\"x\"}}");
    insert(1, "other", "{\"order\":{\"id\":\"x\"}}");
    insert(40, "default", "{\"order\":{\"id\":\"y\"}}");
    JobLists.JobPage page = find("default", "order.id", "x");
    assertEquals(List.of("2"), ids(page));
    assertFalse(page.partial());
    assertTrue(find("other", "order.id", "x").partial());
    assertEquals("41", terms(), "no job of a queue without declared paths has any");
  }

  @Test
  void whatAJobHoldsNowDecides() {
    database.sql(DECLARE.formatted("k"));
    insert(30, "default", "{\"k\":1.0}");
    database.sql("UPDATE jobs SET payload = '{\"k\":null}' WHERE id = 3");
    assertEquals(10, find("default", "k", "1.0").items().size());
    assertEquals(List.of(), ids(find("default", "k", "1")), "as it was typed");
    assertEquals(List.of("3"), ids(find("default", "k", "null")));
    database.sql("UPDATE jobs SET payload = '[]' WHERE id = 3");
    assertEquals(List.of(), ids(find("default", "k", "null")));
  }

  /** Jobs from before are looked at one by one, and that is said. */
  @Test
  void jobsFromBeforeTheDeclarationAreStillFound() {
    insert(5, "default", "{\"k\":1}");
    database.sql(DECLARE.formatted("k"));
    insert(2, "default", "{\"k\":1}");
    assertEquals(7, find("default", "k", "1").items().size());
    assertEquals("2", terms());
    database.sql(DECLARE.formatted(""));
    insert(1, "default", "{\"k\":1}");
    assertEquals("2", terms());
    assertEquals(8, find("default", "k", "1").items().size());
  }

  /** A writer in flight could bring a job that has no terms and an id that should have some. */
  @Test
  void pathIsDeclaredOnlyOnceNoWriterIsInFlight() throws SQLException {
    try (Connection writer = database.superuser();
        Statement statement = writer.createStatement()) {
      writer.setAutoCommit(false);
      statement.execute(
          "INSERT INTO jobs.jobs (dispatch_key, project_id, queue_id, state, type, payload)"
              + " SELECT 0, q.project_id, q.id, 'ready', 't', '{\"k\":1}' FROM jobs.queues q LIMIT 1");
      RuntimeException refused =
          assertThrows(RuntimeException.class, () -> database.sql(DECLARE.formatted("k")));
      assertEquals("55P03", SqlFailures.stateOf(refused));
      writer.commit();
    }
    assertEquals("t", database.sql(DECLARE.formatted("k")));
  }
}
