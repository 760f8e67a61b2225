package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How long a step of a bulk action, which holds many jobs' locks, waits for one more. */
class BulkWaitPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
  }

  /** Notes the patience with which each job is brought back. */
  private void watch() {
    database.sql("CREATE TABLE waits (patience text)");
    database.sql(
        "CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO"
            + " jobs.waits VALUES (current_setting('lock_timeout')); RETURN NEW; END $$");
    database.sql(
        "CREATE TRIGGER note_wait BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION note_wait()");
  }

  /** What was noted since the last time. */
  private String waits() {
    String waits = database.sql("SELECT string_agg(w.patience, ' ') FROM waits w");
    database.sql("DELETE FROM waits");
    return waits;
  }

  @Test
  void aRetryAndAnUndoWaitShortly() {
    bulk.ended("dead", 2);
    bulk.sql.ready(bulk.queue, 1);
    long cancel = bulk.submit(Bulk.WAITING, 1000);
    bulk.drain(cancel);
    watch();

    bulk.drain(bulk.submit(Bulk.DEAD, 1000));
    assertEquals("200ms 200ms", waits());

    assertEquals("undoing", bulk.undo(bulk.project, cancel));
    bulk.drain(cancel);
    assertEquals("undone 1", bulk.shown(cancel, "state, undone"));
    assertEquals("200ms", waits());
  }

  /** The step's transaction alone is hasty, not whatever its connection does next. */
  @Test
  void aRedriveByHandWaitsAsLongAsEver() throws SQLException {
    List<Long> dead = bulk.ended("dead", 1);
    bulk.ended("cancelled", 1);
    long action = bulk.submit("\"action\": \"retry\", \"states\": [\"cancelled\"]", 1000);
    watch();
    try (Connection owner = database.connect(Role.OWNER);
        Statement statement = owner.createStatement()) {
      statement.execute("SELECT worked FROM jobs.step_bulk_action(%d, 9, 9, 9)".formatted(action));
      statement.execute(
          "SELECT count(*) FROM jobs.redrive_jobs(%d, '{%d}', '{dead}')"
              .formatted(bulk.project, dead.get(0)));
    }
    assertEquals("200ms 2s", waits());
  }
}
