package io.jobscheduler.scheduler.promote;

import io.jobscheduler.scheduler.database.DirectConnections;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.schema.names.Channels;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears of instants that a look has not seen, on channel {@code jobs_due}, and of changed
 * schedules, on {@code schedules_due}, while this process leads. One thread; {@link #stop} by any.
 */
final class DueListener implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DueListener.class);
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private final Leadership leadership;
  private final DirectConnections connections;
  private final Runnable connected;
  private final LongConsumer heard;
  private final Runnable schedulesChanged;
  private final int waitMillis;
  private final Every liveCheck = new Every(Duration.ofSeconds(10), System::nanoTime);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Connection session;

  /**
   * @param connected run after each LISTEN: what was sent before it is lost
   * @param heard told each instant, in microseconds since the epoch
   * @param schedulesChanged run at each signal about schedules
   * @param wait how long a round waits for a signal
   */
  DueListener(
      Leadership leadership,
      DirectConnections connections,
      Runnable connected,
      LongConsumer heard,
      Runnable schedulesChanged,
      Duration wait) {
    this.leadership = leadership;
    this.connections = connections;
    this.connected = connected;
    this.heard = heard;
    this.schedulesChanged = schedulesChanged;
    this.waitMillis = Math.toIntExact(wait.toMillis());
  }

  // The channels are Channels.JOBS_DUE and SCHEDULES_DUE; LISTEN takes no parameter.
  private static final String LISTEN_FOR_DUE = "LISTEN jobs_due; LISTEN schedules_due";

  /** One round: connects if need be and waits for signals. */
  void runOnce() throws SQLException, InterruptedException {
    if (leadership.current().isEmpty()) {
      close();
      stopping.await(waitMillis, TimeUnit.MILLISECONDS);
      return;
    }
    try {
      Connection open = session;
      if (open == null) {
        open = listen();
      } else if (liveCheck.isDue() && !open.isValid((int) SILENCE.toSeconds())) {
        throw new SQLException("the listening session has ended", "08006");
      }
      PGNotification[] signals = open.unwrap(PGConnection.class).getNotifications(waitMillis);
      if (signals != null) {
        for (PGNotification signal : signals) {
          hear(signal);
        }
      }
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  private Connection listen() throws SQLException {
    Connection open = connections.open("jobs-due-listener", SILENCE);
    session = open;
    try (Statement statement = open.createStatement()) {
      statement.execute(LISTEN_FOR_DUE);
    }
    connected.run();
    return open;
  }

  private void hear(PGNotification signal) {
    if (signal.getName().equals(Channels.SCHEDULES_DUE)) {
      schedulesChanged.run();
      return;
    }
    try {
      heard.accept(Long.parseLong(signal.getParameter()));
    } catch (NumberFormatException e) {
      // Anybody may NOTIFY; the next look finds what was meant.
      LOG.debugf("A signal was not an instant: %s", signal.getParameter());
    }
  }

  /** Ends a wait of a standby. */
  void stop() {
    stopping.countDown();
  }

  @Override
  public void close() {
    Connection open = session;
    session = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        LOG.debug("the listening session did not close", e);
      }
    }
  }
}
