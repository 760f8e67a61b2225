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
import io.jobscheduler.scheduler.signal.ReadyJob;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.jobscheduler.scheduler.workflow.FinishStore.Ended;
import io.jobscheduler.scheduler.workflow.FinishStore.Finished;
import io.jobscheduler.scheduler.workflow.FinishStore.Overdue;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Notes the end of workflows and their first failures, cancels what is left at a deadline, and
 * makes the jobs that are to follow. Turned by one thread at a time.
 */
@Singleton
@Startup
public class FinishLoop {
  private static final Logger LOG = Logger.getLogger(FinishLoop.class);

  /** Jobs cancelled in one transaction: those of the largest workflow, at once. */
  private static final int DEADLINE_BATCH = 20_000;

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
    finish(term);
    signals.ready(
        transactions.run(term, t -> FinishStore.noteFirstFailures(t, config.releaseBatch())));
    for (Overdue workflow :
        transactions.run(term, t -> FinishStore.cancelOverdue(t, DEADLINE_BATCH))) {
      loop.worked(workflow.cancelled());
      LOG.infof(
          "A workflow's deadline has passed: workflow_id=%d cancelled=%d requested=%d",
          workflow.id(), workflow.cancelled(), workflow.requested());
      signals.changed(List.of(workflow.projectId()), Topic.JOBS, Topic.WORKFLOWS);
    }
  }

  private void finish(Term term) throws SQLException {
    long end = System.nanoTime() + Every.ROUND.toNanos();
    Ended ended;
    do {
      ended = finishBatch(term);
      loop.worked(ended.workflows().size());
      for (Finished workflow : ended.workflows()) {
        LOG.infof("A workflow has ended: workflow_id=%d state=%s", workflow.id(), workflow.state());
      }
      signals.ready(ended.ready());
      signals.changed(
          ended.workflows().stream().map(Finished::projectId).toList(), Topic.WORKFLOWS);
    } while (ended.workflows().size() == config.finishBatch() && System.nanoTime() - end < 0);
  }

  /** Closes the next batch; where that fails on data, without those on which it fails. */
  private Ended finishBatch(Term term) throws SQLException {
    try {
      return transactions.run(
          term, t -> FinishStore.finishWorkflows(t, config.finishBatch(), null));
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
    }
    List<Finished> finished = new ArrayList<>();
    List<ReadyJob> ready = new ArrayList<>();
    Halving.each(
        Candidates.of(dataSource, "finish", config.finishBatch(), poison.passedOver()),
        ids -> {
          Ended ended =
              transactions.run(term, t -> FinishStore.finishWorkflows(t, ids.size(), ids));
          finished.addAll(ended.workflows());
          ready.addAll(ended.ready());
        },
        poison);
    return new Ended(finished, ready);
  }
}
