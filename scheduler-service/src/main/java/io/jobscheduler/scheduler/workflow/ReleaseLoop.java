package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Candidates;
import io.jobscheduler.scheduler.agenda.Findings;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Duty;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Halving;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.Poison;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.signal.ReadyJob;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Released;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Swept;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * Tells children of their parents' end where the settle left it for later, and sweeps the blocked
 * jobs for what got lost. Turned by one thread at a time.
 */
@Singleton
@Startup
public class ReleaseLoop {
  /** The sweep is a backstop: so much of it in a round, and at most a tenth of the time. */
  private static final long SWEEP_SLICE_NANOS = Duration.ofMillis(500).toNanos();

  private static final int PARENTS_AT_ONCE = 100;

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final Signals signals;
  private final WorkflowConfig config;
  private final LongSupplier nanoClock;
  private final Every sweepBegin;
  private final Duty sweepDuty;
  private final Loop loop;
  private final PoisonRows poison;

  /** Where the running walk goes on; 0 between two walks. */
  private long walkedTo;

  /** Blocked jobs in one step: fewer after one that failed on data. */
  private int sweepStep;

  @Inject
  ReleaseLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops) {
    this(leadership, transactions, dataSource, agenda, signals, config, loops, System::nanoTime);
  }

  ReleaseLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.nanoClock = nanoClock;
    this.sweepBegin = new Every(config.sweepEvery(), nanoClock);
    this.sweepDuty = new Duty(nanoClock);
    this.sweepStep = config.sweepBatch();
    this.loop = loops.add("release", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "job_id", nanoClock);
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
    boolean walking = walkedTo != 0 || (findings.blockedJobs() && sweepBegin.isDue());
    if (walking && sweepDuty.allows()) {
      sweep(term);
    }
  }

  private void releasePending(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    Released released;
    do {
      released = releaseBatch(term);
      loop.worked(released.ready().size());
      signals.ready(released.ready());
    } while (released.more() && nanoClock.getAsLong() - end < 0);
  }

  /**
   * Tells the next batch. Parents on one of whose children that fails on data only have their edges
   * told: the sweep then decides each child by itself.
   */
  private Released releaseBatch(Term term) throws SQLException {
    try {
      return transactions.run(
          term, t -> ReleaseStore.releasePending(t, config.releaseBatch(), null));
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
    }
    List<ReadyJob> ready = new ArrayList<>();
    Halving.each(
        Candidates.of(dataSource, "release", PARENTS_AT_ONCE, List.of()),
        parents ->
            ready.addAll(
                transactions
                    .run(term, t -> ReleaseStore.releasePending(t, config.releaseBatch(), parents))
                    .ready()),
        (parent, e) ->
            transactions.run(term, t -> ReleaseStore.tellEdges(t, parent, config.releaseBatch())));
    // What is left is for the next round: whether it can be told is not known.
    return new Released(ready, false);
  }

  private void sweep(Term term) throws SQLException {
    long start = nanoClock.getAsLong();
    try {
      do {
        walkedTo = sweepOn(term, walkedTo);
      } while (walkedTo != 0 && nanoClock.getAsLong() - start < SWEEP_SLICE_NANOS);
    } finally {
      sweepDuty.worked(start);
    }
  }

  /** One step of the walk; a step that fails on data is halved, and its last job passed over. */
  private long sweepOn(Term term, long after) throws SQLException {
    int step = sweepStep;
    try {
      Swept swept = transactions.run(term, t -> ReleaseStore.sweepBlocked(t, after, step));
      signals.ready(swept.ready());
      loop.worked(swept.ready().size());
      sweepStep = Math.min(step * 2, config.sweepBatch());
      return swept.walkedTo();
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
      sweepStep = Math.max(step / 2, 1);
      if (step > 1) {
        // Shorter, from the same place; 0 would end the walk.
        return after > 0 ? after : Long.MIN_VALUE;
      }
      OptionalLong culprit = transactions.run(term, t -> ReleaseStore.nextBlocked(t, after));
      if (culprit.isEmpty()) {
        return 0;
      }
      poison.found(List.of(new Poison(culprit.getAsLong(), String.valueOf(e.getMessage()))));
      return culprit.getAsLong();
    }
  }
}
