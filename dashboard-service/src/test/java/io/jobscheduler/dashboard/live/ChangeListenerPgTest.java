package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The listener on a real PostgreSQL, under the dashboard's own role. */
class ChangeListenerPgTest {
  private static final long DEADLINE_SECONDS = 20;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private final Heard heard = new Heard();
  private ChangeListener listener;

  private static final class Heard implements ChangeListener.Events {
    final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
    final BlockingQueue<Boolean> listening = new LinkedBlockingQueue<>();
    final BlockingQueue<String> tooNew = new LinkedBlockingQueue<>();

    @Override
    public void changed(Change change) {
      changes.add(change);
    }

    @Override
    public void listening() {
      listening.add(true);
    }

    @Override
    public void schemaTooNew(String message) {
      tooNew.add(message);
    }
  }

  @AfterEach
  void stop() {
    listener.close();
  }

  private void listen() throws InterruptedException {
    listener = new ChangeListener(() -> database.connect(Role.DASHBOARD), heard);
    assertNotNull(heard.listening.poll(DEADLINE_SECONDS, TimeUnit.SECONDS), "not listening");
  }

  private void notifyOf(String payload) throws SQLException {
    try (Connection connection = database.connect(Role.WORKER);
        PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      statement.setString(1, Channels.JOBS_CHANGED);
      statement.setString(2, payload);
      statement.execute();
    }
  }

  private Change next() throws InterruptedException {
    return heard.changes.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void hearsWhatAnotherServiceSends() throws Exception {
    listen();
    notifyOf("not a change");
    notifyOf("default jobs,queues");
    assertEquals(new Change("default", Set.of("jobs", "queues")), next());
    assertInstanceOf(ChangeListener.Status.Listening.class, listener.status());
  }

  @Test
  void sendsAStormOutOncePerTopicAndWindow() throws Exception {
    BlockingQueue<Change> out = new LinkedBlockingQueue<>();
    FakeTime time = new FakeTime();
    SignalCoalescer coalescer =
        new SignalCoalescer(Duration.ofSeconds(1), time::nanos, time, out::add);
    listen();
    for (int n = 0; n < 200; n++) {
      notifyOf("default jobs");
    }
    notifyOf("default workers");
    Change last;
    do {
      last = next();
      assertNotNull(last);
      coalescer.signal(last);
    } while (!last.topics().contains("workers"));
    time.pass(Duration.ofSeconds(2));
    assertEquals(new Change("default", Set.of("jobs")), out.poll());
    assertEquals(new Change("default", Set.of("workers")), out.poll());
    assertEquals(new Change("default", Set.of("jobs")), out.poll());
    assertNull(out.poll());
  }

  @Test
  void listensAgainAfterItsConnectionWasTerminated() throws Exception {
    listen();
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND usename = 'jobs_dashboard'
          """);
    }
    assertNotNull(heard.listening.poll(DEADLINE_SECONDS, TimeUnit.SECONDS), "did not come back");
    notifyOf("default workflows");
    assertEquals(new Change("default", Set.of("workflows")), next());
  }

  @Test
  void isNotReadyWhileTheDatabaseIsAway() throws Exception {
    BlockingQueue<Boolean> tried = new LinkedBlockingQueue<>();
    listener =
        new ChangeListener(
            () -> {
              tried.add(true);
              throw new SQLException("refused", "08001");
            },
            heard);
    for (int n = 0; n < 3; n++) {
      assertNotNull(tried.poll(DEADLINE_SECONDS, TimeUnit.SECONDS), "gave up");
    }
    assertInstanceOf(ChangeListener.Status.NotReady.class, listener.status());
    assertTrue(heard.listening.isEmpty());
  }

  @Test
  void waitsForASchemaThatIsNotThereYet() throws Exception {
    TestDatabase empty = TestDatabase.empty().open();
    try {
      BlockingQueue<Boolean> tried = new LinkedBlockingQueue<>();
      listener =
          new ChangeListener(
              () -> {
                tried.add(true);
                return empty.connect(Role.DASHBOARD);
              },
              heard);
      // The second attempt begins after the verdict on the first.
      tried.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertNotNull(tried.poll(DEADLINE_SECONDS, TimeUnit.SECONDS), "gave up");
      ChangeListener.Status status = listener.status();
      assertTrue(
          status instanceof ChangeListener.Status.NotReady notReady
              && notReady.reason().contains("migrate"),
          status.toString());
      listener.close();
    } finally {
      empty.close(false);
    }
  }

  @Test
  void stopsAtABreakingNewerSchema() throws Exception {
    database.sql(
        "INSERT INTO jobs.schema_versions (version, compat) VALUES (999, 'breaking') RETURNING 1");
    listener = new ChangeListener(() -> database.connect(Role.DASHBOARD), heard);
    String message = heard.tooNew.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertNotNull(message);
    assertTrue(message.contains("999"), message);
    assertTrue(heard.listening.isEmpty());
  }

  @Test
  void leavesNoThreadAndNoConnectionWhenClosed() throws Exception {
    listen();
    listener.close();
    listener.close();
    assertInstanceOf(ChangeListener.Status.NotReady.class, listener.status());
  }
}
