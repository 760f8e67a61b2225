package io.jobscheduler.dashboard.live;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * One browser's socket, as far as sending goes: at most one message is under way, what comes
 * meanwhile is merged into the next. So a slow browser costs a set of topics, not a queue.
 * Thread-safe.
 */
final class Subscriber {
  private final String project;
  private final Function<Change, CompletionStage<?>> send;
  private final LongSupplier nanoClock;
  private final Set<String> waiting = new LinkedHashSet<>();
  private boolean sending;
  private boolean beatWaiting;
  private long sendingSince;

  /**
   * @param send sends one message; completes when the socket has taken it, exceptionally when the
   *     socket is gone
   */
  Subscriber(String project, Function<Change, CompletionStage<?>> send, LongSupplier nanoClock) {
    this.project = project;
    this.send = send;
    this.nanoClock = nanoClock;
  }

  String project() {
    return project;
  }

  /** Sends the topics, or merges them into the message that follows the one under way. */
  void offer(Set<String> topics) {
    synchronized (this) {
      if (sending) {
        waiting.addAll(topics);
        return;
      }
      begin();
    }
    transmit(topics);
  }

  /** Sends a heartbeat unless something is under way, which proves as much. */
  void beat() {
    synchronized (this) {
      if (sending) {
        beatWaiting = true;
        return;
      }
      begin();
    }
    transmit(Set.of());
  }

  /** How long the message under way has been so, in nanoseconds; 0 when there is none. */
  synchronized long stuckNanos() {
    return sending ? nanoClock.getAsLong() - sendingSince : 0;
  }

  private void begin() {
    sending = true;
    sendingSince = nanoClock.getAsLong();
  }

  private void transmit(Set<String> topics) {
    send.apply(new Change(project, topics))
        .whenComplete(
            (done, failure) -> {
              // A failed send means a closed socket; its close callback unsubscribes it.
              if (failure == null) {
                sent();
              }
            });
  }

  private void sent() {
    Set<String> next;
    synchronized (this) {
      if (waiting.isEmpty() && !beatWaiting) {
        sending = false;
        return;
      }
      next = new LinkedHashSet<>(waiting);
      waiting.clear();
      beatWaiting = false;
      sendingSince = nanoClock.getAsLong();
    }
    transmit(next);
  }
}
