package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.times.ScheduleTimes;
import io.jobscheduler.scheduler.cron.BackfillStore.Taken;
import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Works backfills in batches, the oldest first. One thread. */
final class Backfiller {
  private static final int TIMES_AT_ONCE = 250;

  private final LeaderTransactions transactions;
  private final Rules rules;
  private final FireReport report;
  private final LongSupplier nanoClock;

  Backfiller(
      LeaderTransactions transactions, Rules rules, FireReport report, LongSupplier nanoClock) {
    this.transactions = transactions;
    this.rules = rules;
    this.report = report;
    this.nanoClock = nanoClock;
  }

  /** Decides planned times of backfills, until none is left or the round has lasted. */
  void work(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    Optional<Fired> fired;
    do {
      List<Taken> taken = new ArrayList<>();
      try {
        fired = transactions.run(term, t -> workBatch(t, taken));
        fired.ifPresent(report::fired);
      } catch (SQLException e) {
        giveUp(term, taken, e);
        fired = Optional.of(Fired.NOTHING);
      }
    } while (fired.isPresent() && nanoClock.getAsLong() - end < 0);
    transactions.run(term, BackfillStore::finishBackfills);
  }

  private Optional<Fired> workBatch(LeaderTransaction transaction, List<Taken> noted)
      throws SQLException {
    Optional<Taken> found = BackfillStore.takeBackfill(transaction);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Taken taken = found.get();
    noted.add(taken);
    List<Instant> planned = new ArrayList<>();
    List<String> locals = new ArrayList<>();
    Instant cursor = taken.rangeTo();
    try {
      ScheduleTimes times = rules.times(taken.schedule());
      Optional<Instant> next = times.next(taken.cursor());
      while (next.isPresent() && next.get().isBefore(taken.rangeTo())) {
        if (planned.size() == TIMES_AT_ONCE) {
          cursor = planned.get(planned.size() - 1);
          break;
        }
        planned.add(next.get());
        locals.add(Decision.local(times, next.get()));
        next = times.next(next.get());
      }
    } catch (RuntimeException e) {
      BackfillStore.abort(transaction, taken, "its times cannot be reckoned: " + e.getMessage());
      return Optional.of(Fired.NOTHING);
    }
    return Optional.of(
        BackfillStore.fireBackfill(transaction, taken.backfillId(), planned, locals, cursor));
  }

  /** A backfill whose runs cannot be stored ends; all else is tried again next round. */
  private void giveUp(Term term, List<Taken> taken, SQLException cause) throws SQLException {
    String state = cause.getSQLState();
    if (taken.isEmpty() || state == null || !(state.startsWith("22") || state.startsWith("23"))) {
      throw cause;
    }
    String reason = "its runs cannot be stored (SQLSTATE " + state + "): look at the template";
    transactions.run(term, t -> BackfillStore.abort(t, taken.get(0), reason));
  }
}
