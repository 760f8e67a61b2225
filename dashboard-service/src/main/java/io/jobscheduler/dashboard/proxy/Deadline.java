package io.jobscheduler.dashboard.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Gives a request up when its answer does not begin in time. Counts from when the whole body was
 * sent: the client's own time-out would also count a long upload. Used on the request's event loop.
 */
final class Deadline {
  private final Vertx vertx;
  private final HttpClientRequest request;
  private final Duration patience;
  private long timer = -1;
  private boolean over;
  private boolean expired;

  Deadline(Vertx vertx, HttpClientRequest request, Duration patience) {
    this.vertx = vertx;
    this.request = request;
    this.patience = patience;
  }

  void start() {
    if (!over) {
      timer =
          vertx.setTimer(
              patience.toMillis(),
              id -> {
                expired = true;
                request.reset(0, new TimeoutException("no answer in " + patience));
              });
    }
  }

  /** Whether the request was given up by this deadline. */
  boolean expired() {
    return expired;
  }

  void cancel() {
    over = true;
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
  }
}
