package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Findings;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Duty;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Released;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Swept;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells children of their parents' end where the settle left it for later, and sweeps the blocked
 * jobs for what got lost. Turned by one thread at a time.
 */
@Singleton
@Startup
public class ReleaseLoop {
  /** The sweep is a backstop: so much of it in a round, and at most a tenth of the time. */
  private static final long SWEEP_SLICE_NANOS = Duration.ofMillis(500).toNanos();

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final Signals signals;
  private final WorkflowConfig config;
  private final LongSupplier nanoClock;
  private final Every sweepBegin;
  private final Duty sweepDuty;
  private final Loop loop;

  /** Where the running walk goes on; 0 between two walks. */
  private long walkedTo;

  @Inject
  ReleaseLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops) {
    this(leadership, transactions, agenda, signals, config, loops, System::nanoTime);
  }

  ReleaseLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.nanoClock = nanoClock;
    this.sweepBegin = new Every(config.sweepEvery(), nanoClock);
    this.sweepDuty = new Duty(nanoClock);
    this.loop = loops.add("release", Duration.ofSeconds(1));
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads: drains what is pending, then a part of the sweep. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null) {
      return;
    }
    Findings findings = agenda.look();
    if (findings.pendingReleases()) {
      releasePending(term);
    }
    boolean walking = walkedTo > 0 || (findings.blockedJobs() && sweepBegin.isDue());
    if (walking && sweepDuty.allows()) {
      sweep(term);
    }
  }

  private void releasePending(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    Released released;
    do {
      released = transactions.run(term, t -> ReleaseStore.releasePending(t, config.releaseBatch()));
      signals.ready(released.ready());
    } while (released.more() && nanoClock.getAsLong() - end < 0);
  }

  private void sweep(Term term) throws SQLException {
    long start = nanoClock.getAsLong();
    try {
      do {
        long after = walkedTo;
        Swept swept =
            transactions.run(term, t -> ReleaseStore.sweepBlocked(t, after, config.sweepBatch()));
        signals.ready(swept.ready());
        walkedTo = swept.walkedTo();
      } while (walkedTo > 0 && nanoClock.getAsLong() - start < SWEEP_SLICE_NANOS);
    } finally {
      sweepDuty.worked(start);
    }
  }
}
