package io.jobscheduler.dashboard.live;

import io.jobscheduler.dashboard.live.AccessCheck.Access;
import io.quarkus.websockets.next.CloseReason;
import io.quarkus.websockets.next.WebSocketConnection;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/**
 * Opens sessions: subscribes the socket, beats, closes it when its token ends or its access is
 * gone, and gives up on a browser that has taken nothing for two heartbeats.
 */
@ApplicationScoped
class Sessions {
  private static final Logger LOG = Logger.getLogger(Sessions.class);

  private final Vertx vertx;
  private final LiveConfig config;
  private final Subscriptions subscriptions;
  private final AccessCheck access;

  Sessions(Vertx vertx, LiveConfig config, Subscriptions subscriptions, AccessCheck access) {
    this.vertx = vertx;
    this.config = config;
    this.subscriptions = subscriptions;
    this.access = access;
  }

  Session open(WebSocketConnection connection, String project, String token, long expiresAt) {
    Subscriber subscriber =
        new Subscriber(
            project,
            change -> connection.sendText(encode(change)).subscribeAsCompletionStage(),
            System::nanoTime);
    long untilExpiry = Math.max(1, expiresAt - System.currentTimeMillis());
    List<Long> timers =
        List.of(
            vertx.setTimer(untilExpiry, id -> close(connection, Access.TOKEN_REFUSED)),
            vertx.setPeriodic(config.heartbeat().toMillis(), id -> beat(connection, subscriber)),
            vertx.setPeriodic(recheckMillis(), id -> recheck(connection, token, project)));
    subscriptions.add(subscriber);
    subscriber.beat();
    return () -> {
      subscriptions.remove(subscriber);
      timers.forEach(vertx::cancelTimer);
    };
  }

  static String encode(Change change) {
    return new JsonObject()
        .put("topics", new JsonArray(List.copyOf(new TreeSet<>(change.topics()))))
        .put("project", change.project())
        .encode();
  }

  private void beat(WebSocketConnection connection, Subscriber subscriber) {
    if (subscriber.stuckNanos() > 2 * config.heartbeat().toNanos()) {
      close(connection, Access.UNKNOWN);
    } else {
      subscriber.beat();
    }
  }

  private void recheck(WebSocketConnection connection, String token, String project) {
    access
        .check(token, project)
        .subscribe()
        .with(
            answer -> {
              // An api-service that is away takes nobody's signals away.
              if (answer == Access.DENIED || answer == Access.TOKEN_REFUSED) {
                close(connection, answer);
              }
            });
  }

  /** Spread by a quarter, so that sockets opened together do not ask together. */
  private long recheckMillis() {
    long millis = config.recheck().toMillis();
    return millis + ThreadLocalRandom.current().nextLong(millis / 4 + 1);
  }

  private static void close(WebSocketConnection connection, Access answer) {
    CloseReason reason = LiveSocket.reasonOf(answer);
    connection
        .close(reason)
        .subscribe()
        .with(done -> {}, failure -> LOG.debug("the socket was gone already", failure));
  }
}
