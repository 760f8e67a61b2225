package io.jobscheduler.worker.execute;

import io.jobscheduler.algorithms.retry.RetryDelayQueue;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Does something at an instant, unless it is called off before. One thread, which sleeps on the
 * delay queue until exactly the next instant. What it does must be short. Thread-safe.
 */
final class Deadlines {
  private static final Logger LOG = Logger.getLogger(Deadlines.class);

  private final LongSupplier clock;
  private final RetryDelayQueue<Runnable> waiting;
  private final Thread thread = new Thread(this::runUntilClosed, "jobs-deadline");
  private volatile boolean closed;

  Deadlines(LongSupplier clock) {
    this.clock = clock;
    this.waiting = new RetryDelayQueue<>(clock);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Runs it when the nanoseconds are over. */
  RetryDelayQueue.Handle<Runnable> in(long nanos, Runnable action) {
    return waiting.add(action, clock.getAsLong() + nanos);
  }

  /** Calls it off; no effect when it has run, or is about to. */
  void cancel(RetryDelayQueue.@Nullable Handle<Runnable> handle) {
    if (handle != null) {
      waiting.cancel(handle);
    }
  }

  private void runUntilClosed() {
    try {
      while (!closed) {
        Runnable action = waiting.take();
        if (action != null && !closed) {
          act(action);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void act(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      // Errors too, such as no thread to be had: without this thread no attempt would end in time.
      LOG.error("A deadline could not be acted on, its attempt runs on: report this", e);
    }
  }

  void close() {
    closed = true;
    waiting.wakeUp();
  }
}
