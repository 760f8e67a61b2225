package io.jobscheduler.worker;

import io.jobscheduler.schema.version.SchemaGate;
import io.jobscheduler.worker.claim.QueuePattern;
import io.jobscheduler.worker.claim.WakeUps;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.effects.EffectLog;
import io.jobscheduler.worker.execute.AttemptRunner;
import io.jobscheduler.worker.execute.StuckThreads;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.health.LoopTurns;
import io.jobscheduler.worker.lease.WorkerIdentity;
import io.jobscheduler.worker.lease.WorkerStore;
import io.jobscheduler.worker.settle.DependentsReleaser;
import io.jobscheduler.worker.settle.RetryPromoter;
import io.jobscheduler.worker.signal.ReadyListener;
import io.jobscheduler.worker.signal.WorkerSignals;
import io.jobscheduler.worker.signal.WorkerSignals.Topic;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The worker from start to drain: waits for a schema that it understands, registers, and runs one
 * tenure after the other, each under a new incarnation. One supervising thread; what outlives a
 * tenure (signals, listener, retries, releases) belongs to it.
 */
public final class WorkerProcess {
  private static final Logger LOG = Logger.getLogger(WorkerProcess.class);
  private static final Duration TURN = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final int REGISTER_MILLIS = 10_000;

  private final WorkerSettings settings;
  private final Connections pool;
  private final Connections direct;
  private final AttemptRunner runner;
  private final EffectLog effects;
  private final Runnable onTooNew;
  private final StuckThreads stuck;
  private final LongSupplier clock = System::nanoTime;
  private final LoopTurns turns = new LoopTurns(clock);
  private final WakeUps wakeUps = new WakeUps();
  private final WorkerStore store = new WorkerStore();
  private final WorkerSignals signals;
  private final Aftermath aftermath;
  private final RetryPromoter retries;
  private final DependentsReleaser dependents;
  private final ReadyListener listener;
  private final Thread thread = new Thread(this::supervise, "jobs-worker");
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile @Nullable Tenure tenure;
  private volatile boolean schemaFits;
  private long formerWorker;
  private boolean drainAsked;

  /**
   * Makes a worker, not yet started.
   *
   * @param pool for ordinary statements
   * @param direct for the heartbeat and LISTEN
   * @param onOutOfMemory ends the process at once
   * @param onTooNew ends the process: this build does not fit the schema and never will
   */
  public WorkerProcess(
      WorkerSettings settings,
      Connections pool,
      Connections direct,
      HandlerRegistry handlers,
      Runnable onOutOfMemory,
      Runnable onTooNew) {
    this.settings = settings;
    this.pool = pool;
    this.direct = direct;
    this.runner = new AttemptRunner(handlers, settings.largestResult(), onOutOfMemory);
    this.effects = EffectLog.in(settings.effectsFolder());
    this.onTooNew = onTooNew;
    this.stuck = new StuckThreads(settings.stuckLimit());
    this.signals = new WorkerSignals(pool);
    this.aftermath = new Aftermath(wakeUps, signals);
    this.retries = new RetryPromoter(pool, aftermath);
    this.dependents = new DependentsReleaser(pool, aftermath);
    this.listener = new ReadyListener(direct, wakeUps, this::signalled);
    thread.setDaemon(true);
  }

  /** Starts everything; returns at once, whether or not the database can be reached. */
  public void start() {
    retries.start();
    dependents.start();
    listener.start();
    thread.start();
  }

  /** Registered on a schema that fits, with a fresh lease, and not draining. */
  public boolean isReady() {
    Tenure current = tenure;
    return stopping.getCount() > 0 && schemaFits && current != null && current.isReady();
  }

  /** The threads whose handlers do not end. */
  public StuckThreads stuckThreads() {
    return stuck;
  }

  private void signalled(String incarnation) {
    Tenure current = tenure;
    if (current != null) {
      current.signalled(incarnation);
    }
  }

  /** When the loops last turned. */
  public LoopTurns turns() {
    return turns;
  }

  /** Drains and ends: blocks until all is settled or the limits are over. */
  public void drain() {
    LOG.info("Worker drains");
    stopping.countDown();
    Tenure current = tenure;
    if (current != null) {
      current.stirSupervisor();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener.close();
    retries.close();
    dependents.close();
    signals.changedEverywhere(Topic.WORKERS);
    signals.close();
    LOG.info("Worker stopped");
  }

  private void supervise() {
    boolean warned = false;
    try {
      while (stopping.getCount() > 0) {
        turns.turned("worker");
        try {
          if (awaitSchema()) {
            runTenure();
            warned = false;
          }
        } catch (SQLException | RuntimeException e) {
          if (!warned) {
            LOG.warnf("Worker cannot start its work, will retry cause=%s", e.toString());
            warned = true;
          }
        }
        stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      turns.ended("worker");
    }
  }

  private boolean awaitSchema() throws SQLException {
    if (schemaFits) {
      return true;
    }
    SchemaGate.Verdict verdict;
    try (Connection connection = direct.open()) {
      connection.setNetworkTimeout(Runnable::run, REGISTER_MILLIS);
      verdict = SchemaGate.check(connection);
    }
    if (verdict instanceof SchemaGate.TooNew) {
      LOG.error(verdict.message());
      onTooNew.run();
      return false;
    }
    schemaFits = verdict instanceof SchemaGate.Fits;
    if (!schemaFits) {
      LOG.warn(verdict.message());
    }
    return schemaFits;
  }

  private void runTenure() throws SQLException, InterruptedException {
    Tenure current = register();
    tenure = current;
    current.start();
    wakeUps.pollNow();
    try {
      while (stopping.getCount() > 0 && !current.awaitOver(TURN)) {
        turns.turned("worker");
      }
      if (!current.isFenced()) {
        turns.ended("worker");
        current.drain();
      }
    } finally {
      drainAsked = current.isDrainAsked();
      tenure = null;
      current.close();
    }
    // Good-bye means that its jobs may be started elsewhere at once. While a handler of it still
    // runs it is not said: those jobs wait until its silence has lasted long enough, as if this
    // process had died.
    if (!current.leave()) {
      formerWorker = 0;
    }
  }

  private Tenure register() throws SQLException {
    long worker = WorkerIdentity.newIncarnation();
    Connection connection = direct.open();
    boolean registered = false;
    try {
      connection.setNetworkTimeout(Runnable::run, REGISTER_MILLIS);
      if (formerWorker != 0) {
        store.stopWorker(connection, formerWorker);
        formerWorker = 0;
      }
      if (!store.lockIncarnation(connection, worker)) {
        throw new SQLException("the incarnation is taken, draw another", "55P03");
      }
      long sent = clock.getAsLong();
      store.registerWorker(connection, worker, identity(), drainAsked);
      Tenure next =
          new Tenure(
              worker,
              connection,
              sent,
              settings,
              pool,
              direct,
              effects.around(worker, runner),
              wakeUps,
              signals,
              leases -> aftermath.of(leases, retries, dependents),
              aftermath,
              stuck,
              turns,
              drainAsked,
              clock);
      // From here on the fence decides how long silence is endured.
      connection.setNetworkTimeout(Runnable::run, 0);
      registered = true;
      formerWorker = worker;
      return next;
    } finally {
      if (!registered) {
        connection.close();
      }
    }
  }

  private WorkerIdentity identity() {
    return new WorkerIdentity(
        settings.host(),
        ProcessHandle.current().pid(),
        settings.version(),
        settings.queues().stream().map(QueuePattern::toString).toList(),
        settings.slots());
  }
}
