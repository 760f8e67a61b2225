package io.jobscheduler.dashboard.live;

import io.jobscheduler.schema.version.SchemaGate;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The one thread that hears the database: keeps a connection with LISTEN, passes changes on, and
 * proves every few seconds that the database answers and the schema fits.
 *
 * <p>When the connection breaks it connects again, after 100 ms to 5 s with jitter, and then says
 * so, since signals may have been missed. While the schema is too old it waits; when it is too new
 * it tells its owner once and ends.
 */
final class ChangeListener implements AutoCloseable {

  /** Opens a new direct connection. */
  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }

  /** What the listener tells; all on the listener's thread. */
  interface Events {
    void changed(Change change);

    /** Listening (again): anything may have changed before. */
    void listening();

    /** The schema will never fit this build: the process should stop. */
    void schemaTooNew(String message);
  }

  /** Where it stands; read by the readiness probe. */
  sealed interface Status {
    record Listening() implements Status {}

    record NotReady(String reason) implements Status {}
  }

  private static final Logger LOG = Logger.getLogger(ChangeListener.class);
  private static final Duration CHECK = Duration.ofSeconds(5);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);

  private final Connections connections;
  private final Events events;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Status status = new Status.NotReady("not connected yet");
  private volatile @Nullable Connection open;

  /** Starts the thread. */
  ChangeListener(Connections connections, Events events) {
    this.connections = connections;
    this.events = events;
    this.thread = new Thread(this::run, "jobs-listen");
    this.thread.setDaemon(true);
    this.thread.start();
  }

  Status status() {
    return status;
  }

  /** Stops listening; waits at most five seconds for the thread. */
  @Override
  public void close() {
    closed.countDown();
    Connection connection = open;
    if (connection != null) {
      abort(connection);
    }
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Channels.JOBS_CHANGED; LISTEN takes no parameter. Lasts as long as the session.
  private static final String LISTEN = "LISTEN jobs_changed";

  private void run() {
    Duration backoff = FIRST_BACKOFF;
    while (!isClosed()) {
      try (Connection connection = connections.open()) {
        open = connection;
        if (isClosed() || !passesGate(connection)) {
          backoff = MAX_BACKOFF;
        } else {
          backoff = FIRST_BACKOFF;
          listen(connection);
        }
      } catch (SQLException | RuntimeException e) {
        lost(e);
      } finally {
        open = null;
      }
      pause(backoff);
      backoff = min(backoff.multipliedBy(2), MAX_BACKOFF);
    }
  }

  private void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(LISTEN);
    }
    status = new Status.Listening();
    LOG.info("listening for changes");
    events.listening();
    PGConnection notifications = connection.unwrap(PGConnection.class);
    long nextCheck = System.nanoTime() + CHECK.toNanos();
    while (!isClosed()) {
      PGNotification[] received = notifications.getNotifications((int) CHECK.toMillis());
      if (received != null) {
        for (PGNotification notification : received) {
          Change.parse(notification.getParameter()).ifPresent(events::changed);
        }
      }
      if (System.nanoTime() - nextCheck >= 0) {
        if (!passesGate(connection)) {
          return;
        }
        nextCheck = System.nanoTime() + CHECK.toNanos();
      }
    }
  }

  private boolean passesGate(Connection connection) throws SQLException {
    SchemaGate.Verdict verdict = SchemaGate.check(connection);
    if (verdict instanceof SchemaGate.Fits) {
      return true;
    }
    report(verdict.message());
    if (verdict instanceof SchemaGate.TooNew) {
      closed.countDown();
      events.schemaTooNew(verdict.message());
    }
    return false;
  }

  private void lost(Exception e) {
    if (!isClosed()) {
      report("database: " + e.getMessage());
    }
  }

  /** Logged when the reason changes, not at each attempt. */
  private void report(String reason) {
    Status now = new Status.NotReady(reason);
    if (!now.equals(status)) {
      LOG.warn("not listening for changes: " + reason);
    }
    status = now;
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void pause(Duration backoff) {
    long millis = backoff.toMillis();
    try {
      long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
      if (closed.await(jittered, TimeUnit.MILLISECONDS)) {
        status = new Status.NotReady("stopped");
      }
    } catch (InterruptedException e) {
      closed.countDown();
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Breaks a wait inside the driver; closing would wait for it. */
  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("the connection was gone already", e);
    }
  }
}
