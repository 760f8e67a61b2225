package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.NotLeadingException;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.PassedOver;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.jobscheduler.scheduler.workflow.PlanStore.Unplanned;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/** Plans stored workflows. Turned by one thread at a time. */
@Singleton
@Startup
public class PlanLoop {
  private static final Logger LOG = Logger.getLogger(PlanLoop.class);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final Signals signals;
  private final LongSupplier nanoClock;
  private final PassedOver<Integer> passedOver;
  private final Loop loop;

  @Inject
  PlanLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      WorkflowConfig config,
      Loops loops) {
    this(leadership, transactions, dataSource, agenda, signals, config, loops, System::nanoTime);
  }

  PlanLoop(
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
    this.nanoClock = nanoClock;
    this.passedOver = new PassedOver<>(config.retryPlanAfter(), nanoClock);
    this.loop = loops.add("planning", Duration.ofSeconds(1));
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads: plans until no workflow waits or the round has lasted. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !agenda.look().unplanned()) {
      return;
    }
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    List<Unplanned> waiting = find();
    while (!waiting.isEmpty()) {
      for (Unplanned workflow : waiting) {
        plan(term, workflow);
        if (nanoClock.getAsLong() - end >= 0) {
          return;
        }
      }
      waiting = find();
    }
  }

  private List<Unplanned> find() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return PlanStore.unplannedWorkflows(connection, passedOver.now());
    }
  }

  /** Plans one; whatever is wrong with it stays with it, and the next one's turn comes. */
  private void plan(Term term, Unplanned workflow) throws SQLException {
    try {
      WorkflowGraph graph;
      try (Connection connection = dataSource.getConnection()) {
        graph = PlanStore.workflowGraph(connection, workflow.id());
      }
      WorkflowPlan plan = WorkflowPlan.of(graph);
      transactions.run(
          term,
          t -> {
            PlanStore.applyPlan(t, workflow.id(), graph, plan);
            return plan;
          });
      passedOver.remove(workflow.id());
      signals.changed(List.of(workflow.projectId()), Topic.WORKFLOWS);
    } catch (NotLeadingException e) {
      throw e;
    } catch (UnplannableException | SQLException | RuntimeException e) {
      passOver(workflow, e);
    }
  }

  private void passOver(Unplanned workflow, Exception cause) {
    if (!passedOver.add(workflow.id())) {
      return;
    }
    if (cause instanceof UnplannableException) {
      LOG.errorf(
          "A workflow cannot be planned, its jobs run unordered: workflow_id=%d reason=%s",
          workflow.id(), cause.getMessage());
    } else {
      LOG.warnf(
          cause, "A workflow's plan failed and is tried again: workflow_id=%d", workflow.id());
    }
  }
}
