package io.jobscheduler.scheduler.rescue;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Findings;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.rescue.RescueStore.Batch;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/** Declares workers lost and ends what they held. Turned by one thread at a time. */
@Singleton
@Startup
public class RescueLoop {
  private static final Logger LOG = Logger.getLogger(RescueLoop.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final Signals signals;
  private final RescueConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private final Every absentCheck;
  private final Every forgetting;
  private List<Long> unendable = List.of();

  @Inject
  RescueLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      RescueConfig config,
      Loops loops) {
    this(leadership, transactions, agenda, signals, config, loops, System::nanoTime);
  }

  RescueLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      RescueConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.signals = signals;
    this.config = RescueConfig.checked(config);
    this.nanoClock = nanoClock;
    this.loop = loops.add("rescue", PERIOD);
    this.absentCheck = new Every(config.absentEvery(), nanoClock);
    this.forgetting = new Every(FORGET_EVERY, nanoClock);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !leadership.punctualFor(config.timeout())) {
      return;
    }
    Findings findings = agenda.look();
    boolean marked = findings.silentWorkers() && markLost(term);
    boolean absent = absentCheck.isDue();
    if (marked || findings.heldByGone() || absent) {
      rescue(term, absent);
    }
    if (forgetting.isDue()) {
      transactions.run(term, t -> RescueStore.forgetWorkers(t, config.forgetAfter()));
    }
  }

  private boolean markLost(Term term) throws SQLException {
    List<Long> lost =
        transactions.run(
            term,
            t -> RescueStore.markLostWorkers(t, config.timeout(), RescueConfig.earlyLoss(config)));
    for (long worker : lost) {
      LOG.warnf("A worker is lost: worker_id=%d", worker);
    }
    if (!lost.isEmpty()) {
      signals.changedEverywhere(Topic.WORKERS);
    }
    return !lost.isEmpty();
  }

  private void rescue(Term term, boolean absent) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    int rescued = 0;
    Batch batch;
    List<Long> refused;
    do {
      // Busy rows are left for the next round, so a batch that ended nothing is the last.
      batch = transactions.run(term, t -> RescueStore.rescueJobs(t, config.batch(), absent));
      rescued += batch.ended();
      refused = batch.unendable();
      signals.ready(batch.ready());
    } while (batch.ended() > 0 && nanoClock.getAsLong() - end < 0);
    report(refused);
    loop.worked(rescued);
    if (rescued > 0) {
      signals.changedEverywhere(Topic.JOBS, Topic.QUEUES, Topic.WORKERS);
      LOG.infof("Jobs of lost workers were rescued: jobs=%d", rescued);
    }
  }

  /** Once, not each second; they stay until somebody has mended their rows. */
  private void report(List<Long> refused) {
    if (!refused.isEmpty() && !refused.equals(unendable)) {
      LOG.errorf(
          "Jobs of lost workers cannot be ended, mend or delete their rows: job_ids=%s", refused);
    }
    unendable = refused;
  }
}
