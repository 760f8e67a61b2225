package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.times.TimeZones;
import io.jobscheduler.scheduler.cron.FireStore.Ahead;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.promote.DueInstants;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Turns the work on schedules at its instants. {@link #runOnce} belongs to one thread; {@link
 * #lookAgain} may be called by any.
 */
final class Firer {
  /** A round waits no longer, so that the loop is seen to turn. */
  private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(2).toNanos();

  private static final int EXPIRED_AT_ONCE = 1_000;

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final DataSource dataSource;
  private final CronConfig config;
  private final LongSupplier nanoClock;
  private final DueInstants instants;
  private final DueSchedules due;
  private final Backfiller backfiller;
  private final FireReport report;
  private final Every expiry;
  private @Nullable Term reckonedIn;
  private @Nullable Term lookedIn;
  private long lookAtNanos;
  private @Nullable Ahead ahead;
  private boolean heldUp;
  private volatile boolean lookAgain;

  Firer(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      FireReport report,
      CronConfig config,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.dataSource = dataSource;
    this.config = config;
    this.nanoClock = nanoClock;
    this.report = report;
    this.instants = new DueInstants(nanoClock);
    Rules rules = new Rules();
    this.due = new DueSchedules(transactions, rules, report, config, nanoClock, this::arm);
    this.backfiller = new Backfiller(transactions, rules, report, nanoClock);
    this.expiry = new Every(Duration.ofMinutes(1), nanoClock);
    leadership.whenChanged(this::lookAgain);
  }

  /** One round: looks ahead, or waits for the next instant, and does what is to be done then. */
  void runOnce() throws SQLException, InterruptedException {
    Term term = leadership.current().orElse(null);
    if (term == null) {
      lookedIn = null;
      instants.await(LONGEST_WAIT_NANOS);
      return;
    }
    if (!term.equals(reckonedIn)) {
      due.reckonStale(term, TimeZones.version());
      reckonedIn = term;
    }
    boolean looked = mustLook(term);
    boolean come =
        looked
            ? look(term)
            : instants.await(Math.min(lookAtNanos - nanoClock.getAsLong(), LONGEST_WAIT_NANOS));
    if (come) {
      fire(term);
    }
    if (looked) {
      workOffRest(term);
    }
  }

  private void fire(Term term) throws SQLException {
    boolean nothing =
        switch (due.fire(term)) {
          case DONE -> false;
          case MORE -> {
            lookAgain = true;
            yield false;
          }
          case NOTHING -> true;
        };
    if (nothing && !heldUp) {
      lookAgain = true;
    } else if (nothing) {
      // Not again at once: what is due is another's for now.
      lookAtNanos = nanoClock.getAsLong() + config.waitEvery().toNanos();
    }
    heldUp = nothing;
  }

  private boolean mustLook(Term term) {
    return lookAgain
        || !term.equals(lookedIn)
        || (ahead != null && !ahead.complete() && instants.isEmpty())
        || nanoClock.getAsLong() - lookAtNanos >= 0;
  }

  /** Reads what lies ahead; returns whether something is due already. */
  private boolean look(Term term) throws SQLException {
    lookAgain = false;
    Ahead seen = FireStore.schedulesAhead(dataSource, config.lookAhead(), config.window());
    instants.synchronise(seen.nowMicros());
    boolean overdue = false;
    for (long instant : seen.dueMicros()) {
      if (instant <= seen.nowMicros()) {
        overdue = true;
      } else {
        instants.arm(instant, config.lookAhead());
      }
    }
    report.late(seen);
    ahead = seen;
    lookedIn = term;
    Duration rest = seen.waiting() || seen.backfills() ? config.waitEvery() : config.lookEvery();
    lookAtNanos = nanoClock.getAsLong() + rest.toNanos();
    return overdue;
  }

  private void arm(long micros) {
    instants.arm(micros, config.lookAhead());
  }

  private void workOffRest(Term term) throws SQLException {
    Ahead seen = ahead;
    if (seen != null && seen.waiting()) {
      due.startQueued(term);
    }
    if (seen != null && seen.backfills()) {
      backfiller.work(term);
    }
    if (expiry.isDue()) {
      transactions.run(term, t -> FireStore.expireFires(t, config.keepFires(), EXPIRED_AT_ONCE));
    }
  }

  /** Makes the next round look ahead, at once: a schedule was changed, or a signal lost. */
  void lookAgain() {
    lookAgain = true;
    instants.wakeUp();
  }
}
