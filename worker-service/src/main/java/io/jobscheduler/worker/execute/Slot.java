package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.dispatch.Held;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One platform thread and the attempt that it runs. An interrupt meant for one attempt never
 * reaches the next: it is sent and cleared under the slot's lock.
 *
 * <p>Once given up, it runs nothing more: when its handler ends at last, nobody asks what came of
 * it.
 */
final class Slot {
  private final Thread thread;
  private @Nullable Attempt current;

  Slot(String name, Consumer<Slot> body) {
    thread = new Thread(() -> body.accept(this), name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  synchronized void begin(Attempt attempt) {
    current = attempt;
  }

  /** The handler has ended; false when its attempt had been given up. */
  synchronized boolean end(Attempt attempt) {
    boolean ours = current == attempt;
    current = null;
    Thread.interrupted();
    return ours;
  }

  /** The attempt on that lease, if it runs here. */
  synchronized @Nullable Attempt running(Held held) {
    return current != null && current.held() == held ? current : null;
  }

  synchronized @Nullable Attempt running() {
    return current;
  }

  /** Interrupts the handler, if it still runs that attempt; whether it does. */
  synchronized boolean interrupt(Attempt attempt) {
    if (current != attempt) {
      return false;
    }
    attempt.askToEnd();
    thread.interrupt();
    return true;
  }

  /** Where the handler is. */
  StackTraceElement[] stack() {
    return thread.getStackTrace();
  }

  /** Takes the attempt away from a handler that does not end; whether it still ran it. */
  synchronized boolean giveUp(Attempt attempt) {
    boolean ours = current == attempt;
    if (ours) {
      current = null;
    }
    return ours;
  }
}
