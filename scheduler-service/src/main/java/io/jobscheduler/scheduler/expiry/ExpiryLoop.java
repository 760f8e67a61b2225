package io.jobscheduler.scheduler.expiry;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.expiry.ExpiryStore.Batch;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.PoisonRows;
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

/** Cancels jobs whose time to start has passed. Turned by one thread at a time. */
@Singleton
@Startup
public class ExpiryLoop {
  private static final Logger LOG = Logger.getLogger(ExpiryLoop.class);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final Signals signals;
  private final ExpiryConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private final PoisonRows poison;

  @Inject
  ExpiryLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      ExpiryConfig config,
      Loops loops) {
    this(leadership, transactions, agenda, signals, config, loops, System::nanoTime);
  }

  ExpiryLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      ExpiryConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("expiry", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "job_id", nanoClock);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads: in batches until none is left or the round has lasted. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !agenda.look().expiredJobs()) {
      return;
    }
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    int expired = 0;
    Batch batch;
    do {
      List<Long> except = poison.passedOver();
      batch = transactions.run(term, t -> ExpiryStore.expireJobs(t, config.batch(), except));
      poison.found(batch.poison());
      signals.changed(batch.projectIds(), Topic.JOBS, Topic.QUEUES);
      expired += batch.projectIds().size();
      // Jobs that are locked just now stay for the next round.
    } while (batch.projectIds().size() + batch.poison().size() == config.batch()
        && nanoClock.getAsLong() - end < 0);
    loop.worked(expired);
    if (expired > 0) {
      LOG.infof("Jobs have expired before they started: jobs=%d", expired);
    }
  }
}
