package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Background;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeadershipPgTest {
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

  @Test
  void onlyOneOfTwoLeads() throws Exception {
    second.leadership.runOnce();
    first.leadership.runOnce();
    second.leadership.runOnce();

    assertEquals(1, first.term().epoch());
    assertTrue(second.leadership.current().isEmpty());
    assertEquals("rig", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void standbyLeadsAtItsNextBeatOnceTheLeaderIsGone() throws Exception {
    second.leadership.runOnce();
    first.leadership.close();

    Await.until(
        "the second leads",
        Duration.ofSeconds(3),
        () -> {
          second.leadership.runOnce();
          return second.leadership.current().isPresent();
        });
    assertEquals(2, second.term().epoch());
    assertEquals("second", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void losingTheSessionEndsTheTermAtOnce() throws Exception {
    endSessionOfHolder();

    assertThrows(SQLException.class, first.leadership::runOnce);

    assertTrue(first.leadership.current().isEmpty());
    first.leadership.runOnce();
    assertEquals(2, first.term().epoch(), "it may lead again, in a new term");
  }

  @Test
  void standbyEndsALeaderThatDoesNotRenew() throws Exception {
    // The row's pid is nobody's: the holder is found by its lock.
    database.sql("UPDATE leadership SET pid = 0, renewed_at = clock_timestamp() - interval '11 s'");

    Await.until(
        "the second leads",
        Duration.ofSeconds(3),
        () -> {
          second.leadership.runOnce();
          return second.leadership.current().isPresent();
        });

    assertEquals(2, second.term().epoch());
    assertThrows(SQLException.class, first.leadership::runOnce);
    assertTrue(first.leadership.current().isEmpty());
  }

  @Test
  void leaderThatRenewedInTimeIsLeftAlone() throws Exception {
    database.sql("UPDATE leadership SET renewed_at = clock_timestamp() - interval '8 s'");

    second.leadership.runOnce();
    second.leadership.runOnce();
    first.leadership.runOnce();

    assertEquals(1, first.term().epoch());
    assertTrue(second.leadership.current().isEmpty());
  }

  @Test
  void doesNotRenewWhileALoopIsStuck() throws Exception {
    Loop loop = first.loops.add("some", Duration.ofSeconds(1));
    CountDownLatch release = new CountDownLatch(1);
    Background<Boolean> round = Background.start(() -> loop.turn(release::await));
    database.sql("UPDATE leadership SET renewed_at = '2000-01-01'");
    first.clock.advance(Duration.ofSeconds(20));

    first.leadership.runOnce();
    assertEquals("true", database.sql("SELECT (renewed_at = '2000-01-01')::text FROM leadership"));

    release.countDown();
    round.result();
    first.leadership.runOnce();
    assertEquals("false", database.sql("SELECT (renewed_at = '2000-01-01')::text FROM leadership"));
  }

  @Test
  void renewalIsNotHeldUpByLeaderTransactions() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Background<Void> transaction = holdTransaction(first, release);
    database.sql("UPDATE leadership SET renewed_at = '2000-01-01'");

    Background<Void> beat =
        Background.start(
            () -> {
              first.leadership.runOnce();
              return null;
            });
    beat.result();

    assertFalse(transaction.isDone(), "the transaction still holds the epoch");
    assertEquals("false", database.sql("SELECT (renewed_at = '2000-01-01')::text FROM leadership"));
    release.countDown();
    transaction.result();
  }

  @Test
  void takingOverWaitsForARunningLeaderTransaction() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Background<Void> transaction = holdTransaction(first, release);
    first.leadership.close();

    Background<Void> takeOver =
        Background.start(
            () -> {
              second.leadership.runOnce();
              return null;
            });
    Await.until("the takeover waits", Duration.ofSeconds(5), this::somebodyWaitsForTheEpoch);
    assertTrue(second.leadership.current().isEmpty());
    assertEquals("1", database.sql("SELECT epoch FROM leadership"));

    release.countDown();
    transaction.result();
    takeOver.result();
    assertEquals(2, second.term().epoch());
  }

  /** Symptom: with three processes, the one that waits to raise the epoch was ended as stale. */
  @Test
  void whoWaitsToTakeOverIsNotTakenForTheStaleLeader() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Background<Void> transaction = holdTransaction(first, release);
    first.leadership.close();
    database.sql("UPDATE leadership SET renewed_at = clock_timestamp() - interval '11 s'");
    Background<Void> takeOver =
        Background.start(
            () -> {
              second.leadership.runOnce();
              return null;
            });
    Await.until("the takeover waits", Duration.ofSeconds(5), this::somebodyWaitsForTheEpoch);

    try (SchedulerRig third = new SchedulerRig(database, "third")) {
      third.leadership.runOnce();
      release.countDown();
      transaction.result();
      takeOver.result();
      assertEquals(2, second.term().epoch());
    }
  }

  @Test
  void serverFreesAHalfOpenSessionWithinTenSeconds() throws Exception {
    try (Connection session = first.connections.open("test", Duration.ofSeconds(3));
        Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('tcp_keepalives_idle')::int"
                    + " + current_setting('tcp_keepalives_interval')::int"
                    + " * current_setting('tcp_keepalives_count')::int AS silent,"
                    + " current_setting('tcp_user_timeout')::int AS unacknowledged")) {
      row.next();
      assertTrue(row.getInt("silent") <= 10, "seconds of silence: " + row.getInt("silent"));
      assertEquals(9_000, row.getInt("unacknowledged"), "milliseconds");
    }
  }

  private static Background<Void> holdTransaction(SchedulerRig rig, CountDownLatch release)
      throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    Term term = rig.term();
    // Outlasts a slow machine: the server would end it after two idle seconds.
    LeaderTransactions patient =
        new LeaderTransactions(
            rig.dataSource,
            Configs.of(
                LeadershipConfig.class,
                "jobs.scheduler.leadership.idle-limit",
                "PT30S",
                "jobs.scheduler.leadership.transaction-limit",
                "PT60S",
                "jobs.scheduler.leadership.stuck-after",
                "PT3M"),
            System::nanoTime);
    Background<Void> transaction =
        Background.start(
            () ->
                patient.run(
                    term,
                    t -> {
                      held.countDown();
                      waitFor(release);
                      return null;
                    }));
    waitFor(held);
    return transaction;
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean somebodyWaitsForTheEpoch() throws SQLException {
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND application_name = 'jobs-leadership' AND wait_event_type = 'Lock'")) {
      row.next();
      return row.getInt(1) == 1;
    }
  }

  private void endSessionOfHolder() throws SQLException {
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
              + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }
  }
}
