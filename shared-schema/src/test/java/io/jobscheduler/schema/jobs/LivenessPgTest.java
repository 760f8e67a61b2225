package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who counts as lost. */
class LivenessPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;

  @BeforeEach
  void register() {
    sql = new Sql(database);
    sql.worker(1);
  }

  /** A beat in the future is fresh however slow the machine is. */
  private void beatAt(String fromNow) {
    database.sql("UPDATE workers SET beat_at = clock_timestamp() + interval '" + fromNow + "'");
  }

  private String lost(String timeout, String early) {
    return database.sql(
        "SELECT string_agg(id::text, ',') FROM mark_lost_workers('%s', '%s')"
            .formatted(timeout, early));
  }

  @Test
  void lockThatIsGoneAloneProvesNothing() {
    beatAt("30 s");
    assertNull(lost("1 s", "500 ms"));
  }

  @Test
  void silenceShortOfTheTimeoutNeedsTheLockGone() throws SQLException {
    beatAt("30 s");
    // Early loss is behind it, by however little; the timeout is far ahead.
    String early = "-1 min";
    try (Connection session = sql.asWorker()) {
      session.createStatement().execute("SELECT pg_advisory_lock(1)");
      assertNull(lost("1 s", early), "its session lives");
      session.createStatement().execute("SELECT pg_advisory_unlock(1)");
    }
    assertEquals("1", lost("1 s", early));
  }

  @Test
  void silenceOfTheTimeoutIsLossThoughTheLockIsHeld() throws SQLException {
    try (Connection session = sql.asWorker()) {
      session.createStatement().execute("SELECT pg_advisory_lock(1)");
      beatAt("-1 h");
      assertEquals("1", lost("1 s", "500 ms"));
      session.createStatement().execute("SELECT pg_advisory_unlock(1)");
    }
  }

  /** Nobody could beat before the server was there. */
  @Test
  void nobodyIsLostWhileTheServerIsYoungerThanTheTimeout() {
    beatAt("-1 h");
    assertNull(lost("100 years", "500 ms"));
  }
}
