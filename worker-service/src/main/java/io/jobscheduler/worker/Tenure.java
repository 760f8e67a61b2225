package io.jobscheduler.worker;

import io.jobscheduler.worker.claim.ClaimSink;
import io.jobscheduler.worker.claim.Claimer;
import io.jobscheduler.worker.claim.Prefetch;
import io.jobscheduler.worker.claim.QueueInfo;
import io.jobscheduler.worker.claim.WakeUps;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.dispatch.Dispatcher;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.dispatch.HeldLeases;
import io.jobscheduler.worker.execute.JobRun;
import io.jobscheduler.worker.execute.Slots;
import io.jobscheduler.worker.execute.StuckThreads;
import io.jobscheduler.worker.health.LoopTurns;
import io.jobscheduler.worker.lease.BeatReply;
import io.jobscheduler.worker.lease.BeatReport;
import io.jobscheduler.worker.lease.Heartbeat;
import io.jobscheduler.worker.lease.Loss;
import io.jobscheduler.worker.notes.Notes;
import io.jobscheduler.worker.settle.Pending;
import io.jobscheduler.worker.settle.ReadyEvents;
import io.jobscheduler.worker.settle.SettleEvents;
import io.jobscheduler.worker.settle.Settlement;
import io.jobscheduler.worker.settle.Settler;
import io.jobscheduler.worker.signal.WorkerSignals;
import io.jobscheduler.worker.signal.WorkerSignals.Topic;
import io.jobscheduler.worker.workflow.Workflows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Everything that lives under one incarnation: its lease, claimer, heap, slots and settler. It ends
 * for good by a drain, or at once when its leases can no longer be trusted; then all that it held
 * is dropped and the next tenure starts with nothing.
 *
 * <p>Lock order: none of its parts calls another while holding its own lock.
 */
final class Tenure implements ClaimSink {
  private static final Logger LOG = Logger.getLogger(Tenure.class);

  private final long worker;
  private final WorkerSettings settings;
  private final WorkerSignals signals;
  private final WakeUps wakeUps;
  private final StuckThreads stuck;
  private final LoopTurns turns;
  private final HeldLeases leases = new HeldLeases();
  private final Dispatcher dispatcher;
  private final Slots slots;
  private final Claimer claimer;
  private final Settler settler;
  private final Notes notes;
  private final Heartbeat heartbeat;
  private final Thread claimThread;
  private final Thread settleThread;
  private final Thread notesThread;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean draining;
  private volatile boolean drainAsked;
  private volatile boolean givingBack;
  private boolean announced;
  private volatile boolean fenced;

  Tenure(
      long worker,
      Connection registered,
      long registeredNanos,
      WorkerSettings settings,
      Connections pool,
      Connections direct,
      JobRun runner,
      WakeUps wakeUps,
      WorkerSignals signals,
      Function<HeldLeases, SettleEvents> aftermath,
      ReadyEvents readyEvents,
      StuckThreads stuck,
      LoopTurns turns,
      boolean drainAsked,
      LongSupplier clock) {
    this.worker = worker;
    this.drainAsked = drainAsked;
    this.wakeUps = wakeUps;
    this.settings = settings;
    this.signals = signals;
    this.stuck = stuck;
    this.turns = turns;
    this.dispatcher = new Dispatcher(settings.slots(), wakeUps::stir);
    Prefetch prefetch =
        new Prefetch(settings.slots(), settings.prefetch(), settings.prefetchHorizon());
    dispatcher.stirAt(settings.prefetch() / 2);
    this.settler =
        new Settler(worker, pool, aftermath.apply(leases), clock, () -> turns.turned("settle"));
    this.notes = new Notes(worker, pool, Notes.GATHER, clock);
    Workflows workflows =
        new Workflows(
            worker, pool, settings.largestResult(), settings.largestParentResults(), readyEvents);
    this.slots =
        new Slots(
            settings.slots(),
            dispatcher,
            runner,
            prefetch,
            settings.handlerGrace(),
            stuck,
            notes,
            workflows::of,
            this::attemptEnded);
    this.heartbeat =
        new Heartbeat(
            direct,
            registered,
            worker,
            settings.timings(),
            registeredNanos,
            () -> new BeatReport(dispatcher.running(), takesNothing(), leases.unstarted()),
            clock,
            this::heard,
            this::fence);
    this.claimer =
        new Claimer(
            worker,
            pool,
            settings.queues(),
            leases,
            wakeUps,
            dispatcher::free,
            prefetch,
            this::mayClaim,
            () -> turns.turned("claim"),
            this,
            clock,
            settings.rhythm());
    this.claimThread = new Thread(claimer, "jobs-claim");
    this.settleThread = new Thread(settler, "jobs-settle");
    this.notesThread = new Thread(notes, "jobs-notes");
    claimThread.setDaemon(true);
    settleThread.setDaemon(true);
    notesThread.setDaemon(true);
  }

  void start() {
    heartbeat.start();
    settleThread.start();
    notesThread.start();
    slots.start();
    claimThread.start();
    LOG.infof("Worker registered worker_id=%d slots=%d", worker, settings.slots());
  }

  /** Waits at most so long; whether the tenure is over because its leases are lost. */
  boolean awaitOver(Duration atMost) throws InterruptedException {
    return over.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends a wait for the tenure's end. */
  void stirSupervisor() {
    over.countDown();
  }

  boolean isFenced() {
    return fenced;
  }

  /** Whether an operator wants it to claim nothing; outlives the tenure. */
  boolean isDrainAsked() {
    return drainAsked;
  }

  private boolean takesNothing() {
    return draining || drainAsked;
  }

  boolean isReady() {
    return !takesNothing() && !stuck.tooMany() && heartbeat.isFresh();
  }

  private boolean mayClaim() {
    return !takesNothing() && !stuck.tooMany() && heartbeat.isTrusted();
  }

  /** Somebody has something for this worker: its next beat hears what. */
  void signalled(String incarnation) {
    if (incarnation.equals(Long.toString(worker))) {
      heartbeat.beatNow();
    }
  }

  private void heard(BeatReply reply) {
    if (drainAsked != reply.drain()) {
      drainAsked = reply.drain();
      LOG.infof("Worker was asked to %s worker_id=%d", drainAsked ? "drain" : "resume", worker);
      heartbeat.beatNow();
      signals.changedEverywhere(Topic.WORKERS);
      if (!drainAsked) {
        wakeUps.pollNow();
      }
    }
    if (drainAsked) {
      // With each beat: a claim may have been in flight when the first one heard of it.
      leases.all().stream()
          .filter(dispatcher::withdraw)
          .forEach(held -> settle(held, Settlement.released()));
    }
    cancelAsked(reply.cancels());
  }

  /** What has not started is given back, and cancelled there; a handler is asked to end. */
  private void cancelAsked(List<Long> jobs) {
    for (long job : jobs) {
      Held held = leases.get(job);
      if (held != null && held.cancel()) {
        if (dispatcher.withdraw(held)) {
          settle(held, Settlement.released());
        } else {
          slots.cancel(held);
        }
      }
    }
  }

  private void attemptEnded(Held held, Settlement settlement) {
    if (!fenced) {
      // What a handler says in so many words stands, also when it was interrupted.
      boolean cutShort = givingBack && settlement.outcome().equals("failed");
      settle(held, cutShort ? Settlement.interrupted() : settlement);
    }
    dispatcher.slotFreed(held);
  }

  private void settle(Held held, Settlement settlement) {
    if (held.decide()) {
      settler.submit(Pending.of(held, settlement));
    }
  }

  // ---- what the claimer does with what it gets

  @Override
  public boolean dispatch(List<Held> claimed) {
    claimed.stream()
        .map(held -> held.job().projectId())
        .distinct()
        .forEach(project -> signals.changed(project, Topic.JOBS, Topic.QUEUES));
    return !fenced && dispatcher.add(claimed);
  }

  @Override
  public void release(long jobId, long leaseToken, @Nullable Integer workflowId) {
    settler.submit(Pending.release(jobId, leaseToken, workflowId));
  }

  @Override
  public void revoked(Held held) {
    LOG.warnf("Lease revoked worker_id=%d job_id=%d", worker, held.job().id());
    held.revoke();
    leases.remove(held);
    if (!dispatcher.withdraw(held)) {
      slots.interrupt(held);
    }
  }

  @Override
  public void room(int queueId) {
    signals.room(List.of(queueId));
  }

  @Override
  public void queuesRead(List<QueueInfo> served) {
    signals.learn(served);
    if (!announced) {
      announced = true;
      signals.changedEverywhere(Topic.WORKERS);
    }
  }

  // ---- the end

  /** The leases can no longer be trusted: nothing of this tenure may go on. */
  private void fence(Loss loss) {
    fenced = true;
    LOG.warnf("Leases lost, starting over worker_id=%d loss=%s", worker, loss);
    claimer.stop();
    dispatcher.close();
    leases.all().forEach(Held::revoke);
    slots.interruptAll();
    settler.stop();
    notes.stop();
    over.countDown();
  }

  /** Frees what a fenced tenure has. */
  void close() {
    claimer.stop();
    dispatcher.close();
    settler.stop();
    notes.stop();
    join(claimThread);
    join(settleThread);
    join(notesThread);
    heartbeat.close();
    turns.ended("claim");
    turns.ended("settle");
  }

  /**
   * The orderly end: gives back at once what has not started, lets the rest run up to the limit,
   * then interrupts and gives back. Returns whether everything was settled.
   */
  boolean drain() throws InterruptedException {
    draining = true;
    claimer.stop();
    dispatcher.close().forEach(held -> settle(held, Settlement.released()));
    heartbeat.beatNow();
    signals.changedEverywhere(Topic.WORKERS);
    // A claim in flight finds the dispatcher closed, and gives back what it brings.
    join(claimThread);
    claimer.lookBack();
    if (!dispatcher.awaitIdle(settings.drainLimit().toNanos())) {
      giveBackRunning();
    }
    boolean settled = settler.awaitSettled(Duration.ofSeconds(10).toNanos());
    settler.stop();
    join(settleThread);
    // The last words, while the worker is still known.
    notes.stop();
    notes.flush();
    join(notesThread);
    sayGoodbye();
    turns.ended("claim");
    turns.ended("settle");
    return settled;
  }

  private void giveBackRunning() throws InterruptedException {
    givingBack = true;
    int late = slots.interruptAll().size();
    LOG.warnf(
        "Drain limit reached, running jobs are given back worker_id=%d jobs=%d", worker, late);
    // Given back only once the handler has ended or the process is about to: until then nobody else
    // may start it.
    dispatcher.awaitIdle(settings.interruptGrace().toNanos());
    leases.all().forEach(held -> settle(held, Settlement.interrupted()));
  }

  private void sayGoodbye() {
    try {
      heartbeat.stop();
    } catch (SQLException e) {
      LOG.warnf("Worker could not be deregistered worker_id=%d cause=%s", worker, e.toString());
    }
  }

  /** Lets go of handlers that have still not ended; whether there was none. */
  boolean leave() throws InterruptedException {
    boolean quiet = dispatcher.awaitIdle(fenced ? settings.interruptGrace().toNanos() : 0);
    slots.close();
    return quiet;
  }

  private static void join(Thread thread) {
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
