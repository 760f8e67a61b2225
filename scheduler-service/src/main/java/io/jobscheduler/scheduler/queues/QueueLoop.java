package io.jobscheduler.scheduler.queues;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Findings;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.NotLeadingException;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.Poison;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.queues.QueueStore.Resumed;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Ends pauses, carries out switches of ageing and settles declared paths. Turned by one thread at a
 * time.
 */
@Singleton
@Startup
public class QueueLoop {
  private static final Logger LOG = Logger.getLogger(QueueLoop.class);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final Signals signals;
  private final QueueConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private final PoisonRows poison;

  @Inject
  QueueLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      QueueConfig config,
      Loops loops) {
    this(leadership, transactions, dataSource, agenda, signals, config, loops, System::nanoTime);
  }

  QueueLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      QueueConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("queues", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "queue_id", nanoClock);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /**
   * One round, when this process leads: ends due pauses and settles paths, then switches until it
   * has lasted.
   */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null) {
      return;
    }
    Findings findings = agenda.look();
    try {
      if (findings.queuesToResume()) {
        resume(term);
      }
      if (findings.pathsToSettle()) {
        loop.worked(transactions.run(term, QueueStore::settlePaths));
      }
    } finally {
      if (findings.queuesToRekey()) {
        rekey(term);
      }
    }
  }

  private void resume(Term term) throws SQLException {
    List<Resumed> resumed = transactions.run(term, QueueStore::resumeDue);
    loop.worked(resumed.size());
    for (Resumed queue : resumed) {
      LOG.infof("A queue's pause has ended: queue_id=%d", queue.queueId());
    }
    signals.changed(resumed.stream().map(Resumed::projectId).toList(), Topic.QUEUES);
  }

  private void rekey(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    List<Integer> queues = waiting();
    while (!queues.isEmpty()) {
      // A step of each in turn: a long backlog must not keep the others from their new order.
      for (int queue : queues) {
        step(term, queue);
        if (nanoClock.getAsLong() - end >= 0) {
          return;
        }
      }
      queues = waiting();
    }
  }

  private List<Integer> waiting() throws SQLException {
    List<Integer> queues = new ArrayList<>(QueueStore.queuesToRekey(dataSource));
    List<Long> passedOver = poison.passedOver();
    queues.removeIf(queue -> passedOver.contains((long) queue));
    return queues;
  }

  private void step(Term term, int queue) {
    try {
      signals.ready(transactions.run(term, t -> QueueStore.rekey(t, queue, config.rekeyBatch())));
      loop.worked(1);
    } catch (NotLeadingException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      poison.found(List.of(new Poison(queue, String.valueOf(e.getMessage()))));
    }
  }
}
