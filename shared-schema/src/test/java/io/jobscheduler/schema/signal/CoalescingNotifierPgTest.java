package io.jobscheduler.schema.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class CoalescingNotifierPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void firstGoesAtOnceAndTheLastWordAtTheEndOfTheWindow() throws SQLException {
    try (Connection listener = listener();
        CoalescingNotifier notifier =
            new CoalescingNotifier(
                "jobs-notifier", () -> database.connect(Role.WORKER), (lost, cause) -> {})) {
      signal(notifier, "q", "0", 300);
      assertEquals(List.of("0"), receive(listener, 1));
      for (int i = 1; i <= 50; i++) {
        signal(notifier, "q", Integer.toString(i), 300);
      }
      signal(notifier, "other", "x", 300);
      assertEquals(List.of("x", "50"), receive(listener, 2));
      assertEquals(List.of(), receive(listener, 1, 400));
    }
  }

  @Test
  void closeSendsWhatWaits() throws SQLException {
    try (Connection listener = listener()) {
      try (CoalescingNotifier notifier =
          new CoalescingNotifier(
              "jobs-notifier", () -> database.connect(Role.WORKER), (lost, cause) -> {})) {
        signal(notifier, "q", "first", 60_000);
        assertEquals(List.of("first"), receive(listener, 1));
        signal(notifier, "q", "last", 60_000);
      }
      assertEquals(List.of("last"), receive(listener, 1));
    }
  }

  @Test
  void lostSignalsAreReportedAndTheNextOnesGoOut() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    boolean[] broken = {true};
    try (Connection listener = listener();
        CoalescingNotifier notifier =
            new CoalescingNotifier(
                "jobs-notifier",
                () -> {
                  if (broken[0]) {
                    throw new SQLException("away", "08001");
                  }
                  return database.connect(Role.WORKER);
                },
                (lost, cause) -> failed.countDown())) {
      signal(notifier, "q", "lost", 0);
      assertTrue(failed.await(10, TimeUnit.SECONDS));
      broken[0] = false;
      signal(notifier, "q", "kept", 0);
      assertEquals(List.of("kept"), receive(listener, 1));
    }
  }

  private static void signal(
      CoalescingNotifier notifier, String key, String payload, long windowMillis) {
    notifier.signal(Channels.JOBS_READY, key, payload, windowMillis, (waiting, next) -> next);
  }

  private Connection listener() throws SQLException {
    Connection listener = database.connect(Role.DASHBOARD);
    listener.createStatement().execute("LISTEN " + Channels.JOBS_READY);
    return listener;
  }

  private static List<String> receive(Connection listener, int count) throws SQLException {
    return receive(listener, count, 10_000);
  }

  private static List<String> receive(Connection listener, int count, int millis)
      throws SQLException {
    List<String> payloads = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (payloads.size() < count && System.nanoTime() < deadline) {
      int left = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) + 1;
      PGNotification[] received = listener.unwrap(PGConnection.class).getNotifications(left);
      for (PGNotification notification : received == null ? new PGNotification[0] : received) {
        payloads.add(notification.getParameter());
      }
    }
    return payloads;
  }
}
