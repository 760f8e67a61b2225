package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which jobs may be deleted. */
class DeleteJobPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  /** Who adds an edge to a job that runs need not have been able to mark it as a parent. */
  @Test
  void aParentThatIsNotMarkedAsOneIsNeededUntilItsChildrenKnowItsEnd() throws SQLException {
    Sql sql = new Sql(database);
    int project = sql.project("acme");
    int queue = sql.queue(project, "default", null);
    sql.worker(1);
    long parent = sql.ready(queue, 1).get(0);
    Flow flow = new Flow(database, sql, project, queue, "cancel").gate("b", "join", null);
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES (%d, %d, %d)"
            .formatted(flow.id("b"), parent, flow.id));
    String delete = "SELECT verdict FROM delete_job(%d, %d)".formatted(project, parent);
    assertEquals("needed", database.sql(delete));
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "succeeded");
    }
    assertEquals("needed", database.sql(delete));
    database.sql("SELECT count(*) FROM sweep_blocked(0, 100)");
    flow.drain();
    assertEquals("b=succeeded", flow.shown());
    assertEquals("deleted", database.sql(delete));
  }
}
