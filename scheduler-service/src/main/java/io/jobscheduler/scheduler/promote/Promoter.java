package io.jobscheduler.scheduler.promote;

import io.jobscheduler.scheduler.agenda.Candidates;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Halving;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.promote.PromoteStore.Ahead;
import io.jobscheduler.scheduler.signal.ReadyJob;
import io.jobscheduler.scheduler.signal.Signals;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Promotes due jobs at their instant. {@link #runOnce} belongs to one thread; {@link #heard} and
 * {@link #lookAgain} may be called by any.
 */
final class Promoter {
  /** A round waits no longer, so that the loop is seen to turn. */
  private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(2).toNanos();

  /**
   * After a look that found something due of which nothing could be promoted; doubled each time.
   */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final Signals signals;
  private final PromoteConfig config;
  private final LongSupplier nanoClock;
  private final DueInstants instants;
  private final Loop loop;
  private final PoisonRows poison;
  private @Nullable Term lookedIn;
  private long lookAtNanos;
  private boolean complete = true;
  private Duration pause = FIRST_PAUSE;
  private volatile boolean lookAgain;

  Promoter(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Signals signals,
      PromoteConfig config,
      Loop loop,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.signals = signals;
    this.config = PromoteConfig.checked(config);
    this.nanoClock = nanoClock;
    this.instants = new DueInstants(nanoClock);
    this.loop = loop;
    this.poison = new PoisonRows(loop, "job_id", nanoClock);
    leadership.whenChanged(this::lookAgain);
  }

  /** One round: looks ahead, or waits for the next instant and promotes what is due. */
  void runOnce() throws SQLException, InterruptedException {
    Term term = leadership.current().orElse(null);
    if (term == null) {
      lookedIn = null;
      instants.await(LONGEST_WAIT_NANOS);
      return;
    }
    if (mustLook(term)) {
      if (look(term)) {
        promoteOverdue(term);
      }
    } else if (instants.await(Math.min(lookAtNanos - nanoClock.getAsLong(), LONGEST_WAIT_NANOS))
        && promote(term) == 0) {
      // The clocks had drifted apart, or another was faster: what comes next is read anew.
      lookAgain = true;
    }
  }

  /** What stays overdue is locked by another, or cannot be promoted: looked at ever more rarely. */
  private void promoteOverdue(Term term) throws SQLException {
    if (promote(term) > 0) {
      pause = FIRST_PAUSE;
      return;
    }
    lookAtNanos = Math.min(lookAtNanos, nanoClock.getAsLong() + pause.toNanos());
    pause =
        pause.multipliedBy(2).compareTo(config.lookEvery()) < 0
            ? pause.multipliedBy(2)
            : config.lookEvery();
  }

  private boolean mustLook(Term term) {
    return lookAgain
        || !term.equals(lookedIn)
        || (!complete && instants.isEmpty())
        || nanoClock.getAsLong() - lookAtNanos >= 0;
  }

  /** Reads what lies ahead; returns whether something is due already. */
  private boolean look(Term term) throws SQLException {
    lookAgain = false;
    Ahead ahead = PromoteStore.dueAhead(dataSource, config.lookAhead(), config.window());
    instants.synchronise(ahead.nowMicros());
    boolean overdue = false;
    for (long due : ahead.dueMicros()) {
      if (due <= ahead.nowMicros()) {
        overdue = true;
      } else {
        instants.arm(due, config.lookAhead());
      }
    }
    complete = ahead.complete();
    lookedIn = term;
    lookAtNanos = nanoClock.getAsLong() + config.lookEvery().toNanos();
    return overdue;
  }

  /** Promotes in batches until none is due or the round has lasted; returns how many. */
  private int promote(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    int promoted = 0;
    List<ReadyJob> batch;
    do {
      batch = promoteBatch(term);
      promoted += batch.size();
      loop.worked(batch.size());
      signals.ready(batch);
      if (nanoClock.getAsLong() - end >= 0) {
        lookAgain = true;
        break;
      }
    } while (batch.size() == config.batch());
    return promoted;
  }

  /** Promotes the next batch; where that fails on data, without the rows on which it fails. */
  private List<ReadyJob> promoteBatch(Term term) throws SQLException {
    try {
      return transactions.run(term, t -> PromoteStore.promoteDue(t, config.batch()));
    } catch (SQLException e) {
      if (!Halving.isDataFault(e)) {
        throw e;
      }
    }
    List<ReadyJob> promoted = new ArrayList<>();
    Halving.each(
        Candidates.of(dataSource, "promotion", config.batch(), poison.passedOver()),
        ids -> promoted.addAll(transactions.run(term, t -> PromoteStore.promoteJobs(t, ids))),
        poison);
    return promoted;
  }

  /** A job is due at this instant, in microseconds since the epoch on the database's clock. */
  void heard(long dueMicros) {
    instants.arm(dueMicros, config.lookAhead());
  }

  /** Makes the next round look ahead, at once: signals may have been missed. */
  void lookAgain() {
    lookAgain = true;
    instants.wakeUp();
  }
}
