package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.jobscheduler.scheduler.workflow.ReleaseStore.Finished;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Notes the end of workflows. Turned by one thread at a time. */
@Singleton
@Startup
public class FinishLoop {
  private static final Logger LOG = Logger.getLogger(FinishLoop.class);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final Signals signals;
  private final WorkflowConfig config;
  private final Loop loop;

  FinishLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.loop = loops.add("finish", Duration.ofSeconds(1));
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
      finished = transactions.run(term, t -> ReleaseStore.finishWorkflows(t, config.finishBatch()));
      for (Finished workflow : finished) {
        LOG.infof("A workflow has ended: workflow_id=%d state=%s", workflow.id(), workflow.state());
      }
      signals.changed(finished.stream().map(Finished::projectId).toList(), Topic.WORKFLOWS);
    } while (finished.size() == config.finishBatch() && System.nanoTime() - end < 0);
  }
}
