package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.claim.Prefetch;
import io.jobscheduler.worker.dispatch.Dispatcher;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.settle.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The platform threads on which handlers run, for one tenure. A handler that ignores interrupts
 * keeps its thread, but not the next tenure's.
 *
 * <p>An interrupt meant for one job never reaches the next: it is sent and cleared under the slot's
 * lock.
 */
public final class Slots {
  private final Dispatcher dispatcher;
  private final AttemptRunner runner;
  private final Prefetch prefetch;
  private final BiConsumer<Held, Settlement> ended;
  private final List<Slot> slots = new ArrayList<>();

  /**
   * Makes the slots, not yet running.
   *
   * @param ended called on the slot's thread with what came of the attempt
   */
  public Slots(
      int count,
      Dispatcher dispatcher,
      AttemptRunner runner,
      Prefetch prefetch,
      BiConsumer<Held, Settlement> ended) {
    this.dispatcher = dispatcher;
    this.runner = runner;
    this.prefetch = prefetch;
    this.ended = ended;
    for (int i = 1; i <= count; i++) {
      slots.add(new Slot("jobs-slot-" + i));
    }
  }

  /** Starts the threads; they end when the dispatcher is closed. */
  public void start() {
    slots.forEach(slot -> slot.thread.start());
  }

  /** Interrupts the handler of one job, if it still runs. */
  public void interrupt(Held held) {
    slots.forEach(slot -> slot.interrupt(held));
  }

  /** Interrupts every handler; returns the jobs that run. */
  public List<Held> interruptAll() {
    List<Held> running = new ArrayList<>();
    for (Slot slot : slots) {
      Held held = slot.current();
      if (held != null) {
        slot.interrupt(held);
        running.add(held);
      }
    }
    return running;
  }

  private final class Slot {
    private final Thread thread;
    private @Nullable Held current;

    Slot(String name) {
      thread = new Thread(this::runUntilClosed, name);
      thread.setDaemon(true);
    }

    private synchronized void begin(Held held) {
      current = held;
    }

    private synchronized void end() {
      current = null;
      Thread.interrupted();
    }

    synchronized @Nullable Held current() {
      return current;
    }

    synchronized void interrupt(Held held) {
      if (current == held) {
        thread.interrupt();
      }
    }

    private void runUntilClosed() {
      try {
        Held held = dispatcher.take();
        while (held != null) {
          runOne(held);
          held = dispatcher.take();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void runOne(Held held) {
      long start = System.nanoTime();
      begin(held);
      Settlement settlement;
      try {
        MDC.put("job_id", held.job().id());
        MDC.put("attempt", held.job().attempt());
        MDC.put("queue", held.job().queue().toString());
        // Asked after begin: whoever revokes first marks the lease, then interrupts what runs.
        settlement = held.isRevoked() ? Settlement.released() : runner.run(held.job());
      } finally {
        MDC.clear();
        end();
      }
      prefetch.ran(System.nanoTime() - start);
      ended.accept(held, settlement);
    }
  }
}
