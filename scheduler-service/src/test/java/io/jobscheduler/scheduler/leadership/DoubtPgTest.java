package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Background;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Any doubt ends the term: what a process believed before is worth nothing. */
class DoubtPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private SchedulerRig first;
  private SchedulerRig second;

  @BeforeEach
  void makeTwo() throws SQLException {
    first = SchedulerRig.leading(database);
    second = new SchedulerRig(database, "second");
  }

  @AfterEach
  void closeBoth() {
    first.close();
    second.close();
  }

  /** Symptom elsewhere: a rolled-back election left the old belief, and two led for 19 days. */
  @Test
  void renewalThatFailsOnceEndsTheTermAndLetsAnotherLead() throws Exception {
    Term former = first.term();
    database.sql("REVOKE UPDATE ON leadership FROM jobs_scheduler");
    assertThrows(SQLException.class, first.leadership::runOnce);
    assertTrue(first.leadership.current().isEmpty(), "it keeps no belief");
    database.sql("GRANT UPDATE ON leadership TO jobs_scheduler");

    second.leadership.runOnce();
    assertEquals(2, second.term().epoch());
    assertThrows(NotLeadingException.class, () -> first.transactions.run(former, t -> mark(t)));
    first.leadership.runOnce();
    assertTrue(first.leadership.current().isEmpty());
    assertEquals("second", database.sql("SELECT holder FROM leadership"));
  }

  /**
   * The lock's session dies in the middle of a transaction, the pool lives on: that transaction was
   * begun in its term and counts, the next one does not.
   */
  @Test
  void nothingIsWrittenAfterTheNextLeadersFirstWrite() throws Exception {
    Term former = first.term();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Background<Integer> running =
        Background.start(
            () ->
                first.transactions.run(
                    former,
                    t -> {
                      begun.countDown();
                      await(release);
                      return mark(t);
                    }));
    begun.await();
    endLockSession();
    Background<Void> takeOver =
        Background.start(
            () -> {
              second.leadership.runOnce();
              return null;
            });
    release.countDown();
    assertEquals(1, running.result());
    takeOver.result();
    assertEquals(former.epoch() + 1, second.term().epoch());
    assertEquals("second", database.sql("SELECT holder FROM leadership"));
    assertTrue(first.leadership.current().isPresent(), "it has not looked yet");
    assertThrows(NotLeadingException.class, () -> first.transactions.run(former, t -> mark(t)));
    assertEquals("second", database.sql("SELECT holder FROM leadership"));
  }

  private void endLockSession() throws SQLException {
    try (Connection admin = database.superuser();
        ResultSet row =
            admin
                .createStatement()
                .executeQuery("SELECT pg_terminate_backend(pid, 5000) FROM jobs.leadership")) {
      row.next();
      assertTrue(row.getBoolean(1));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int mark(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement =
        transaction.prepare("UPDATE jobs.leadership SET holder = 'marked'")) {
      return statement.executeUpdate();
    }
  }
}
