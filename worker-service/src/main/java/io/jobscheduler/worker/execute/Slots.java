package io.jobscheduler.worker.execute;

import io.jobscheduler.algorithms.retry.RetryDelayQueue;
import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.Prefetch;
import io.jobscheduler.worker.dispatch.Dispatcher;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.handlers.WorkflowAccess;
import io.jobscheduler.worker.settle.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The platform threads on which handlers run, for one tenure, and the end of attempts that take too
 * long or are cancelled: the handler is interrupted, and if it has not ended when the grace is over
 * its attempt is given up: ended in the record, and a new thread takes the slot, so that capacity
 * does not shrink. The old thread ends when its handler does.
 *
 * <p>Lock order: none; a slot's lock is held for its own fields only.
 */
public final class Slots {
  private static final Logger LOG = Logger.getLogger(Slots.class);

  private final Dispatcher dispatcher;
  private final JobRun runner;
  private final Prefetch prefetch;
  private final Duration grace;
  private final StuckThreads stuck;
  private final NoteKeeper notes;
  private final Function<ClaimedJob, WorkflowAccess> workflows;
  private final BiConsumer<Held, Settlement> ended;
  private final Deadlines deadlines = new Deadlines(System::nanoTime);
  private final List<Slot> slots = new CopyOnWriteArrayList<>();
  private final AtomicInteger number = new AtomicInteger();

  /**
   * Makes the slots, not yet running.
   *
   * @param grace how long an interrupted handler may take to end
   * @param workflows what the attempt on a job may ask of the graph around it
   * @param ended called once per job, on any thread, with what came of the attempt
   */
  public Slots(
      int count,
      Dispatcher dispatcher,
      JobRun runner,
      Prefetch prefetch,
      Duration grace,
      StuckThreads stuck,
      NoteKeeper notes,
      Function<ClaimedJob, WorkflowAccess> workflows,
      BiConsumer<Held, Settlement> ended) {
    this.dispatcher = dispatcher;
    this.runner = runner;
    this.prefetch = prefetch;
    this.grace = grace;
    this.stuck = stuck;
    this.notes = notes;
    this.workflows = workflows;
    this.ended = ended;
    for (int i = 0; i < count; i++) {
      slots.add(newSlot());
    }
  }

  private Slot newSlot() {
    return new Slot("jobs-slot-" + number.incrementAndGet(), this::runUntilClosed);
  }

  /** Starts the threads; they end when the dispatcher is closed. */
  public void start() {
    deadlines.start();
    slots.forEach(Slot::start);
  }

  /** Leaves to themselves the handlers that still run, once the dispatcher is closed. */
  public void close() {
    deadlines.close();
    for (Slot slot : slots) {
      Attempt attempt = slot.running();
      if (attempt != null) {
        giveUp(slot, attempt);
      }
    }
  }

  /** Interrupts the handler of one job, if it still runs. */
  public void interrupt(Held held) {
    for (Slot slot : slots) {
      Attempt attempt = slot.running(held);
      if (attempt != null) {
        slot.interrupt(attempt);
      }
    }
  }

  /** Interrupts every handler; returns the jobs that run. */
  public List<Held> interruptAll() {
    List<Held> running = new ArrayList<>();
    for (Slot slot : slots) {
      Attempt attempt = slot.running();
      if (attempt != null && slot.interrupt(attempt)) {
        running.add(attempt.held());
      }
    }
    return running;
  }

  /** Interrupts the handler of a cancelled job; when the grace is over its lease is revoked. */
  public void cancel(Held held) {
    for (Slot slot : slots) {
      Attempt attempt = slot.running(held);
      if (attempt != null && slot.interrupt(attempt)) {
        deadlines.in(grace.toNanos(), () -> giveUp(slot, attempt));
      }
    }
  }

  private void timeIsUp(Slot slot, Attempt attempt, Duration timeout) {
    attempt.timeIsUp(timeout);
    if (slot.interrupt(attempt)) {
      deadlines.in(grace.toNanos(), () -> giveUp(slot, attempt));
    }
  }

  private void giveUp(Slot slot, Attempt attempt) {
    StackTraceElement[] where = slot.stack();
    if (!slot.giveUp(attempt)) {
      return;
    }
    notes.close(attempt.notes());
    stuck.add();
    Settlement settlement = attempt.givenUp(grace, where);
    LOG.warnf(
        "Handler does not end, its attempt is given up job_id=%d type=%s outcome=%s stuck=%d\n%s",
        attempt.held().job().id(),
        attempt.held().job().type(),
        settlement.outcome(),
        stuck.count(),
        settlement.stack());
    // First of all the lease: a thread that cannot be had must not keep it.
    ended.accept(attempt.held(), settlement);
    Slot fresh = newSlot();
    slots.remove(slot);
    slots.add(fresh);
    fresh.start();
  }

  private void runUntilClosed(Slot slot) {
    try {
      boolean ours = true;
      while (ours) {
        Held held = dispatcher.take();
        if (held == null) {
          return;
        }
        ours = runOne(slot, held);
      }
      stuck.remove();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs one attempt; false when it was given up meanwhile, and the slot with it. */
  private boolean runOne(Slot slot, Held held) {
    long start = System.nanoTime();
    Attempt attempt = new Attempt(held, notes.open(held.job()), workflows.apply(held.job()));
    slot.begin(attempt);
    RetryDelayQueue.@Nullable Handle<Runnable> deadline = null;
    boolean ours;
    Settlement settlement;
    try {
      MDC.put("job_id", held.job().id());
      MDC.put("attempt", held.job().attempt());
      MDC.put("queue", held.job().queue().toString());
      // Asked after begin: whoever revokes or cancels first marks the lease, then interrupts what
      // runs.
      if (held.isRevoked() || held.isCancelled()) {
        settlement = Settlement.released();
      } else if (held.job().isExpired(start)) {
        settlement = Settlement.expired();
      } else {
        Duration timeout = held.job().timeout();
        if (timeout != null) {
          deadline = deadlines.in(timeout.toNanos(), () -> timeIsUp(slot, attempt, timeout));
        }
        settlement = runner.run(held.job(), attempt);
      }
    } finally {
      MDC.clear();
      ours = slot.end(attempt);
      notes.close(attempt.notes());
      deadlines.cancel(deadline);
    }
    if (ours) {
      prefetch.ran(System.nanoTime() - start);
      ended.accept(held, attempt.judge(settlement));
    } else {
      LOG.infof(
          "Handler given up before has ended, its outcome is dropped job_id=%d", held.job().id());
    }
    return ours;
  }
}
