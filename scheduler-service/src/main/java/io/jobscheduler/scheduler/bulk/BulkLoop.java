package io.jobscheduler.scheduler.bulk;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.bulk.BulkStore.Step;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Halving;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.Poison;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/** Carries out bulk actions. Turned by one thread at a time. */
@Singleton
@Startup
public class BulkLoop {
  private static final Logger LOG = Logger.getLogger(BulkLoop.class);
  private static final int ACTIONS_AT_ONCE = 100;
  private static final int FORGOTTEN_AT_ONCE = 1_000;

  /** Locks that others hold, deadlocks, and statements that take too long. */
  private static final Set<String> MAY_PASS = Set.of("55P03", "40P01", "40001", "57014");

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Agenda agenda;
  private final Signals signals;
  private final BulkConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private final PoisonRows poison;
  private final Every forgetting;
  // Batches that are smaller than usual, by action.
  private final Map<Long, Integer> sizes = new HashMap<>();
  // The last action that had its turn.
  private long after;
  private boolean forgetsMore;

  @Inject
  BulkLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      BulkConfig config,
      Loops loops) {
    this(leadership, transactions, dataSource, agenda, signals, config, loops, System::nanoTime);
  }

  BulkLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Agenda agenda,
      Signals signals,
      BulkConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.agenda = agenda;
    this.signals = signals;
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("bulk", Duration.ofSeconds(1));
    this.poison = new PoisonRows(loop, "bulk_action_id", nanoClock);
    this.forgetting = new Every(Duration.ofHours(1), nanoClock);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /**
   * One round, when this process leads: a step of each open action in turn, until it has lasted.
   */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null) {
      return;
    }
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    if (agenda.look().bulkActions()) {
      work(term, end);
    } else {
      sizes.clear();
    }
    if (forgetting.isDue() || forgetsMore) {
      forget(term, end);
    }
  }

  private void work(Term term, long end) throws SQLException {
    List<Long> open = next();
    boolean first = true;
    while (!open.isEmpty()) {
      for (Long action : List.copyOf(open)) {
        if (first) {
          after = action;
        }
        if (!step(term, action)) {
          open.remove(action);
        }
        if (nanoClock.getAsLong() - end >= 0) {
          return;
        }
      }
      first = false;
    }
  }

  /** Those behind the last one that had its turn, and then from the start again. */
  private List<Long> next() throws SQLException {
    List<Long> passedOver = poison.passedOver();
    List<Long> open =
        new ArrayList<>(BulkStore.openActions(dataSource, after, ACTIONS_AT_ONCE, passedOver));
    int left = ACTIONS_AT_ONCE - open.size();
    if (left > 0 && after > 0) {
      for (Long action : BulkStore.openActions(dataSource, 0, left, passedOver)) {
        if (action <= after) {
          open.add(action);
        }
      }
    }
    return open;
  }

  /** Returns whether another step may do more now. */
  private boolean step(Term term, long action) throws SQLException {
    int size = sizes.getOrDefault(action, config.batch());
    try {
      Step step = transactions.run(term, t -> BulkStore.step(t, action, size, config));
      if (size < config.batch()) {
        sizes.put(action, Math.min(size * 2, config.batch()));
      }
      loop.worked(step.worked());
      signals.ready(step.ready());
      step.workers().forEach(signals::control);
      if (step.worked() > 0) {
        signals.changed(List.of(step.projectId()), Topic.JOBS, Topic.QUEUES, Topic.WORKFLOWS);
      }
      return step.worked() > 0;
    } catch (SQLException e) {
      boolean data = Halving.isDataFault(e);
      if (!data && !MAY_PASS.contains(String.valueOf(e.getSQLState()))) {
        throw e;
      }
      if (size > 1) {
        sizes.put(action, size / 2);
        return data;
      }
      return pass(term, action, e, data);
    }
  }

  /** Passes the job on which a step has failed alone. */
  private boolean pass(Term term, long action, SQLException cause, boolean data)
      throws SQLException {
    if (!data) {
      if (transactions.run(term, t -> BulkStore.pass(t, action, null)) == 0) {
        // It has no job that could be passed: it looks for them, or waits for their ends.
        poison.found(List.of(new Poison(action, String.valueOf(cause.getMessage()))));
      }
      return false;
    }
    try {
      // Where it fails without a job, it is no job's fault.
      transactions.run(term, t -> BulkStore.step(t, action, 0, config));
    } catch (SQLException e) {
      poison.found(List.of(new Poison(action, String.valueOf(e.getMessage()))));
      return false;
    }
    String reason = "sqlstate-" + cause.getSQLState();
    long job = transactions.run(term, t -> BulkStore.pass(t, action, reason));
    LOG.warnf(
        cause,
        "A job of a bulk action cannot be done and is passed: bulk_action_id=%d job_id=%d",
        action,
        job);
    return true;
  }

  private void forget(Term term, long end) throws SQLException {
    int gone;
    do {
      gone = transactions.run(term, t -> BulkStore.forget(t, config.keep(), FORGOTTEN_AT_ONCE));
      loop.worked(gone);
      forgetsMore = gone > 0;
    } while (forgetsMore && nanoClock.getAsLong() - end < 0);
  }
}
