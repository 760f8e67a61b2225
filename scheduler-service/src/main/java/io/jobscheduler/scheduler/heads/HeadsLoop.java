package io.jobscheduler.scheduler.heads;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Candidates;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Duty;
import io.jobscheduler.scheduler.loop.Halving;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** Writes the queues' heads. Turned by one thread at a time. */
@Singleton
@Startup
public class HeadsLoop {
  private static final int MOST_QUEUES = 10_000;

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final LongSupplier nanoClock;
  private final Duty duty;
  private final Loop loop;
  private final PoisonRows poison;

  @Inject
  HeadsLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Loops loops) {
    this(leadership, transactions, dataSource, agenda, loops, System::nanoTime);
  }

  HeadsLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.agenda = agenda;
    this.nanoClock = nanoClock;
    this.duty = new Duty(nanoClock);
    this.loop = loops.add("heads", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "queue_id", nanoClock);
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
      note(term);
    } finally {
      duty.worked(start);
    }
  }

  /** Notes the heads of all queues; where that fails on data, without those on which it fails. */
  private void note(Term term) throws SQLException {
    try {
      loop.worked(transactions.run(term, t -> HeadsStore.noteQueueHeads(t, null)));
      return;
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
    }
    Halving.each(
        Candidates.of(dataSource, "heads", MOST_QUEUES, poison.passedOver()),
        queues -> loop.worked(transactions.run(term, t -> HeadsStore.noteQueueHeads(t, queues))),
        poison);
  }
}
