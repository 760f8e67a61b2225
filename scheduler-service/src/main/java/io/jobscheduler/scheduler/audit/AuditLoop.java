package io.jobscheduler.scheduler.audit;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Seals the audit log. Turned by one thread at a time. */
@Singleton
@Startup
public class AuditLoop {
  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final AuditConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;

  @Inject
  AuditLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      AuditConfig config,
      Loops loops) {
    this(leadership, transactions, agenda, config, loops, System::nanoTime);
  }

  AuditLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      AuditConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("audit", Duration.ofSeconds(1));
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads: in batches until none is left or the round has lasted. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !agenda.look().auditToSeal()) {
      return;
    }
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    int sealed;
    do {
      sealed = transactions.run(term, t -> AuditStore.sealAudit(t, config.batch()));
      loop.worked(sealed);
    } while (sealed == config.batch() && nanoClock.getAsLong() - end < 0);
  }
}
