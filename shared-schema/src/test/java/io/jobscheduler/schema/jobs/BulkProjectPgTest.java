package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bulk actions and the end of their project exclude each other. */
class BulkProjectPgTest {
  private static final String LOCK = "SELECT id FROM jobs.projects WHERE id = %d FOR UPDATE";
  private static final String DELETE = "UPDATE jobs.projects SET deleted_at = now() WHERE id = %d";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;
  private String submit;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
    bulk.ended("dead", 3);
    submit =
        "SELECT id FROM jobs.submit_bulk_action(%d, '{\"filter\": {}, %s}', NULL, 'someone', 1000)"
            .formatted(bulk.project, Bulk.DEAD);
  }

  private static void waits(Statement statement, String sql) {
    SQLException e = assertThrows(SQLException.class, () -> statement.execute(sql));
    assertEquals("55P03", e.getSQLState());
  }

  @Test
  void whoSubmitsOrTakesBackWaitsForADeletionAndIsRefused() throws SQLException {
    long done = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(done);
    String undo = "SELECT jobs.undo_bulk_action(%d, %d, NULL)".formatted(bulk.project, done);
    try (Connection deletion = database.connect(Role.API);
        Connection api = database.connect(Role.API);
        Statement delete = deletion.createStatement();
        Statement asked = api.createStatement()) {
      deletion.setAutoCommit(false);
      delete.execute(LOCK.formatted(bulk.project));
      asked.execute("SET lock_timeout = '100ms'");
      waits(asked, submit);
      waits(asked, undo);
      delete.execute(DELETE.formatted(bulk.project));
      deletion.commit();

      try (var row = asked.executeQuery(submit)) {
        row.next();
        assertEquals(null, row.getObject("id"));
      }
      assertEquals("gone", bulk.undo(bulk.project, done));
    }
    assertEquals("1", database.sql("SELECT count(*) FROM bulk_actions"));
    assertEquals("completed", bulk.shown(done, "state"));
  }

  @Test
  void whoBringsOneJobBackWaitsForADeletionAndBringsNothing() throws SQLException {
    String redrive =
        "SELECT id FROM jobs.redrive_jobs(%d, ARRAY(SELECT id FROM jobs.finished_jobs), '{dead}')"
            .formatted(bulk.project);
    try (Connection deletion = database.connect(Role.API);
        Connection api = database.connect(Role.API);
        Statement delete = deletion.createStatement();
        Statement asked = api.createStatement()) {
      deletion.setAutoCommit(false);
      delete.execute(LOCK.formatted(bulk.project));
      asked.execute("SET jobs.redrive_wait = '100ms'");
      waits(asked, redrive);
      delete.execute(DELETE.formatted(bulk.project));
      deletion.commit();
      try (var row = asked.executeQuery(redrive)) {
        assertFalse(row.next());
      }
    }
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void aDeletionWaitsForWhoSubmitsOrTakesBack() throws SQLException {
    long done = bulk.submit(Bulk.DEAD, 1000);
    bulk.drain(done);
    String undo = "SELECT jobs.undo_bulk_action(%d, %d, NULL)".formatted(bulk.project, done);
    try (Connection api = database.connect(Role.API);
        Connection deletion = database.connect(Role.API);
        Statement asked = api.createStatement();
        Statement delete = deletion.createStatement()) {
      delete.execute("SET lock_timeout = '100ms'");
      api.setAutoCommit(false);
      for (String sql : new String[] {submit, undo}) {
        asked.execute(sql);
        waits(delete, LOCK.formatted(bulk.project));
        api.commit();
        delete.execute(LOCK.formatted(bulk.project));
      }
    }
  }

  /** The net: a deletion by an older release, or by hand, did not look for open actions. */
  @Test
  void theLeaderTouchesNoJobOfADeletedProject() {
    long undoing = bulk.submit(Bulk.DEAD + ", \"max_jobs\": 3", 1000);
    bulk.step(undoing, 1);
    bulk.undo(bulk.project, undoing);
    long pending = bulk.submit(Bulk.DEAD, 1);
    long running = bulk.submit(Bulk.DEAD, 1000);
    assertEquals("pending", bulk.shown(pending, "state"));
    database.sql(DELETE.formatted(bulk.project));

    for (long action : new long[] {undoing, pending, running}) {
      bulk.drain(action);
    }

    assertEquals("undone project-deleted 0", bulk.shown(undoing, "state, state_reason, undone"));
    for (long action : new long[] {pending, running}) {
      assertEquals("stopped project-deleted 0", bulk.shown(action, "state, state_reason, done"));
    }
    assertEquals(
        "1 2",
        database.sql(
            "SELECT concat_ws(' ', (SELECT count(*) FROM jobs), (SELECT count(*) FROM"
                + " finished_jobs))"));
  }
}
