package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
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
  private static final String SETTLE = "SELECT settle_search_paths()";
  private static final String INSERT =
      "INSERT INTO jobs.jobs (dispatch_key, project_id, queue_id, state, type, payload)"
          + " SELECT 0, q.project_id, q.id, 'ready', 't', '{\"k\":1}' FROM jobs.queues q"
          + " WHERE q.name = 'default'";

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

  private void declare(String paths) {
    database.sql(DECLARE.formatted(paths));
    database.sql(SETTLE);
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
    declare("order.id,none");
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
    declare("k");
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
    declare("k");
    insert(2, "default", "{\"k\":1}");
    assertEquals(7, find("default", "k", "1").items().size());
    assertEquals("2", terms());
    declare("");
    insert(1, "default", "{\"k\":1}");
    assertEquals("2", terms());
    assertEquals(8, find("default", "k", "1").items().size());
  }

  /** Its id is larger than any that was there when the path was declared, and it has no terms. */
  @Test
  void jobOfAWriterThatDidNotSeeTheDeclarationIsFoundOnce() throws SQLException {
    try (Connection admin = database.superuser();
        Connection writer = database.superuser();
        Statement declaring = admin.createStatement();
        Statement writing = writer.createStatement()) {
      admin.setAutoCommit(false);
      writer.setAutoCommit(false);
      declaring.execute("SET LOCAL search_path = jobs");
      declaring.execute(DECLARE.formatted("k"));
      writing.execute(INSERT);
      assertEquals("0", database.sql(SETTLE), "not committed yet");
      admin.commit();
      assertEquals(List.of(), ids(find("default", "k", "1")));
      assertEquals("1", database.sql(SETTLE));
      writer.commit();
    }
    insert(1, "default", "{\"k\":1}");
    assertEquals("1", terms(), "of the second only");
    assertEquals(List.of("2", "1"), ids(find("default", "k", "1")));
  }

  /** Nobody else waits while an admin's process is stopped in the middle of a declaration. */
  @Test
  void declarationThatIsLeftOpenHoldsUpNoWriter() throws SQLException {
    try (Connection admin = database.superuser();
        Connection writer = database.superuser();
        Statement declaring = admin.createStatement();
        Statement writing = writer.createStatement()) {
      admin.setAutoCommit(false);
      declaring.execute("SET LOCAL search_path = jobs");
      declaring.execute(DECLARE.formatted("k"));
      writing.execute("SET lock_timeout = '5s'");
      writing.execute(INSERT);
      admin.commit();
    }
    assertEquals("{k}", database.sql("SELECT search_paths FROM queues WHERE name = 'default'"));
  }

  /** What an autovacuum holds for as long as it runs. */
  @Test
  void pathIsDeclaredWhileTheTableIsVacuumed() throws SQLException {
    try (Connection vacuum = database.superuser();
        Statement statement = vacuum.createStatement()) {
      vacuum.setAutoCommit(false);
      statement.execute("LOCK TABLE jobs.jobs IN SHARE UPDATE EXCLUSIVE MODE");
      assertEquals("t", database.sql(DECLARE.formatted("k")));
      assertEquals("1", database.sql(SETTLE));
    }
  }
}
