package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.agenda.Candidates;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Halving;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Finished;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/** Notes the end of workflows. Turned by one thread at a time. */
@Singleton
@Startup
public class FinishLoop {
  private static final Logger LOG = Logger.getLogger(FinishLoop.class);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final Signals signals;
  private final WorkflowConfig config;
  private final Loop loop;
  private final PoisonRows poison;

  FinishLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.loop = loops.add("finish", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "workflow_id", System::nanoTime);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !agenda.look().endedWorkflows()) {
      return;
    }
    long end = System.nanoTime() + Every.ROUND.toNanos();
    List<Finished> finished;
    do {
      finished = finishBatch(term);
      loop.worked(finished.size());
      for (Finished workflow : finished) {
        LOG.infof("A workflow has ended: workflow_id=%d state=%s", workflow.id(), workflow.state());
      }
      signals.changed(finished.stream().map(Finished::projectId).toList(), Topic.WORKFLOWS);
    } while (finished.size() == config.finishBatch() && System.nanoTime() - end < 0);
  }

  /** Closes the next batch; where that fails on data, without those on which it fails. */
  private List<Finished> finishBatch(Term term) throws SQLException {
    try {
      return transactions.run(
          term, t -> ReleaseStore.finishWorkflows(t, config.finishBatch(), null));
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
    }
    List<Finished> finished = new ArrayList<>();
    Halving.each(
        Candidates.of(dataSource, "finish", config.finishBatch(), poison.passedOver()),
        ids ->
            finished.addAll(
                transactions.run(term, t -> ReleaseStore.finishWorkflows(t, ids.size(), ids))),
        poison);
    return finished;
  }
}
