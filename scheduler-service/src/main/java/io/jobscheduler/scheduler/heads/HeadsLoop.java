package io.jobscheduler.scheduler.heads;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Duty;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Writes the queues' heads. Turned by one thread at a time. */
@Singleton
@Startup
public class HeadsLoop {
  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final LongSupplier nanoClock;
  private final Duty duty;
  private final Loop loop;

  @Inject
  HeadsLoop(Leadership leadership, LeaderTransactions transactions, Agenda agenda, Loops loops) {
    this(leadership, transactions, agenda, loops, System::nanoTime);
  }

  HeadsLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.nanoClock = nanoClock;
    this.duty = new Duty(nanoClock);
    this.loop = loops.add("heads", Duration.ofSeconds(1));
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads and its duty allows. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !duty.allows() || !agenda.look().heads()) {
      return;
    }
    long start = nanoClock.getAsLong();
    try {
      transactions.run(term, HeadsStore::noteQueueHeads);
    } finally {
      duty.worked(start);
    }
  }
}
