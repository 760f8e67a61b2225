package io.jobscheduler.worker.signal;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.worker.claim.ReadyPlace;
import io.jobscheduler.worker.claim.WakeUps;
import io.jobscheduler.worker.database.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears what became ready, over a direct connection of its own, and wakes the claimer; and signals
 * to one worker. After each (re)connect the claimer polls once, for what was missed meanwhile. One
 * thread.
 */
public final class ReadyListener implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(ReadyListener.class);
  private static final int QUIET_MILLIS = 60_000;
  private static final int ANSWER_MILLIS = 10_000;
  private static final long RECONNECT_MILLIS = 500;

  private final Connections direct;
  private final WakeUps wakeUps;
  private final Consumer<String> onControl;
  private final Thread thread = new Thread(this::runUntilClosed, "jobs-listen");
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Connection connection;

  /**
   * Makes a listener.
   *
   * @param onControl called with the payload of each signal to a worker; must not block
   */
  public ReadyListener(Connections direct, WakeUps wakeUps, Consumer<String> onControl) {
    this.direct = direct;
    this.wakeUps = wakeUps;
    this.onControl = onControl;
    thread.setDaemon(true);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  private void runUntilClosed() {
    boolean warned = false;
    try {
      while (closing.getCount() > 0) {
        try (Connection opened = direct.open()) {
          connection = opened;
          opened.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
          listen(opened);
          warned = false;
        } catch (SQLException | RuntimeException e) {
          if (closing.getCount() > 0 && !warned) {
            LOG.warnf("Listening for wake-ups failed, polling meanwhile cause=%s", e.toString());
            warned = true;
          }
        }
        closing.await(RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // The channel is fixed; one statement per connection, and one a minute to see whether it lives.
  private static final String LISTEN =
      "LISTEN " + Channels.JOBS_READY + ";LISTEN " + Channels.CONTROL;

  private void listen(Connection opened) throws SQLException {
    try (Statement statement = opened.createStatement()) {
      statement.execute(LISTEN);
      wakeUps.pollNow();
      PGConnection postgres = opened.unwrap(PGConnection.class);
      while (closing.getCount() > 0) {
        PGNotification[] heard = postgres.getNotifications(QUIET_MILLIS);
        if (heard == null || heard.length == 0) {
          statement.execute(LISTEN);
        } else {
          tell(heard);
        }
      }
    }
  }

  private void tell(PGNotification[] heard) {
    List<ReadyPlace> places = new ArrayList<>();
    Set<Integer> rooms = new HashSet<>();
    for (PGNotification notification : heard) {
      if (notification.getName().equals(Channels.CONTROL)) {
        onControl.accept(notification.getParameter());
      } else {
        places.addAll(ReadyPayload.read(notification.getParameter()));
        rooms.addAll(ReadyPayload.rooms(notification.getParameter()));
      }
    }
    if (!places.isEmpty()) {
      wakeUps.ready(places);
    }
    wakeUps.room(rooms);
  }

  @Override
  public void close() {
    closing.countDown();
    Connection current = connection;
    try {
      if (current != null) {
        current.abort(Runnable::run);
      }
      thread.join(5_000);
    } catch (SQLException e) {
      LOG.debugf("Listening connection could not be aborted cause=%s", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
