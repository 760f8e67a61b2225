package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.times.TimeZones;
import io.jobscheduler.scheduler.cron.FireStore.Broken;
import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Decides the planned times that have come, in batches. One thread. */
final class DueSchedules {
  /** After so many fires a transaction takes no further schedule: a second of work at most. */
  private static final int FIRES_AT_ONCE = 1_000;

  private static final Duration PASS_OVER = Duration.ofSeconds(5);

  private final LeaderTransactions transactions;
  private final Rules rules;
  private final FireReport report;
  private final int batch;
  private final LongSupplier nanoClock;
  private final LongConsumer nextDue;

  /** Schedules that another holds up, and until when they are passed over. */
  private final Map<Integer, Long> passedOver = new HashMap<>();

  /** Halved by each batch that fails, so that the one that spoils it is found. */
  private int limit;

  /**
   * Nothing decided yet.
   *
   * @param nextDue told the next planned times, in microseconds since the epoch
   */
  DueSchedules(
      LeaderTransactions transactions,
      Rules rules,
      FireReport report,
      CronConfig config,
      LongSupplier nanoClock,
      LongConsumer nextDue) {
    this.transactions = transactions;
    this.rules = rules;
    this.report = report;
    this.batch = config.batch();
    this.limit = batch;
    this.nanoClock = nanoClock;
    this.nextDue = nextDue;
  }

  /** How a round went. */
  enum Result {
    /** What was due and free to be taken is decided. */
    DONE,
    /** The round has lasted, more is due. */
    MORE,
    /** Nothing could be taken: the clocks had drifted apart, or another holds what is due. */
    NOTHING
  }

  /** A transaction's doing. */
  private record Batch(
      List<Definition> taken,
      List<Decision> decisions,
      Fired fired,
      List<Broken> broken,
      boolean whole) {}

  /** Decides what is due in batches, until nothing is or the round has lasted. */
  Result fire(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    passedOver.values().removeIf(until -> nanoClock.getAsLong() - until >= 0);
    boolean some = false;
    while (true) {
      int wanted = limit;
      List<Definition> taken = new ArrayList<>();
      try {
        Batch done = transactions.run(term, t -> fireBatch(t, wanted, taken));
        report.fired(done.fired());
        done.decisions().forEach(d -> arm(d.next()));
        report.disabled(done.broken());
        report.paused(done.taken().stream().filter(Definition::paused).toList());
        some |= !done.taken().isEmpty();
        limit = Math.min(batch, limit * 2);
        if (done.whole() && done.taken().size() < wanted) {
          return some ? Result.DONE : Result.NOTHING;
        }
      } catch (SQLException e) {
        spoiled(term, taken, e);
      }
      if (nanoClock.getAsLong() - end >= 0) {
        return Result.MORE;
      }
    }
  }

  private void arm(@Nullable Instant next) {
    if (next != null) {
      // Not by ChronoUnit: it counts in nanoseconds on Java 17, and overflows from 2262 on.
      nextDue.accept(next.getEpochSecond() * 1_000_000 + next.getNano() / 1_000);
    }
  }

  private Batch fireBatch(LeaderTransaction transaction, int wanted, List<Definition> taken)
      throws SQLException {
    taken.addAll(FireStore.takeDueSchedules(transaction, wanted, passedOver.keySet()));
    List<Decision> decisions = new ArrayList<>();
    List<Broken> broken = new ArrayList<>();
    int fires = 0;
    boolean whole = true;
    for (Definition schedule : taken) {
      if (schedule.paused()) {
        continue;
      }
      if (fires >= FIRES_AT_ONCE) {
        whole = false;
        break;
      }
      try {
        Decision decision = Decision.about(schedule, rules.times(schedule));
        fires += decision.fires().size();
        decisions.add(decision);
      } catch (RuntimeException e) {
        broken.add(new Broken(schedule.id(), schedule.version(), reason(e)));
      }
    }
    if (!broken.isEmpty()) {
      FireStore.disableSchedules(transaction, broken);
    }
    Fired fired =
        decisions.isEmpty()
            ? Fired.NOTHING
            : FireStore.fireSchedules(transaction, decisions, TimeZones.version());
    return new Batch(List.copyOf(taken), decisions, fired, broken, whole);
  }

  /**
   * Deals with a batch that failed on what it holds or on somebody's locks: smaller ones find the
   * schedule that spoils it, which is then disabled, or passed over for a while.
   */
  private void spoiled(Term term, List<Definition> taken, SQLException cause) throws SQLException {
    boolean data = isDataFault(cause);
    if (taken.isEmpty() || !(data || isContention(cause))) {
      throw cause;
    }
    if (taken.size() > 1) {
      limit = Math.max(1, taken.size() / 2);
      return;
    }
    Definition culprit = taken.get(0);
    if (data) {
      Broken broken = new Broken(culprit.id(), culprit.version(), reason(cause));
      transactions.run(term, t -> FireStore.disableSchedules(t, List.of(broken)));
      report.disabled(List.of(broken));
    } else {
      passedOver.put(culprit.id(), nanoClock.getAsLong() + PASS_OVER.toNanos());
      report.heldUp(culprit, cause);
    }
  }

  private static boolean isDataFault(SQLException e) {
    String state = Objects.requireNonNullElse(e.getSQLState(), "");
    return state.startsWith("22") || state.startsWith("23");
  }

  /** Lock not available, deadlock, statement timeout. */
  private static boolean isContention(SQLException e) {
    @Nullable String state = e.getSQLState();
    return "55P03".equals(state) || "40P01".equals(state) || "57014".equals(state);
  }

  private static String reason(RuntimeException e) {
    return "its times cannot be reckoned: " + e.getMessage();
  }

  private static String reason(SQLException e) {
    return "its runs cannot be stored (SQLSTATE " + e.getSQLState() + "): look at its template";
  }

  /** Starts fires that waited for the run before them, until none can or the round has lasted. */
  void startQueued(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    Fired started;
    do {
      started = transactions.run(term, t -> FireStore.startQueuedFires(t, batch));
      report.fired(started);
    } while (started.fires().size() == batch && nanoClock.getAsLong() - end < 0);
  }

  /** Reckons the next planned times anew that were reckoned with other time-zone data. */
  void reckonStale(Term term, String tzdb) throws SQLException {
    int after = 0;
    List<Definition> taken;
    do {
      int from = after;
      taken = transactions.run(term, t -> reckonBatch(t, tzdb, from));
      if (!taken.isEmpty()) {
        after = taken.get(taken.size() - 1).id();
        report.reckoned(taken.size(), tzdb);
      }
    } while (taken.size() == batch);
  }

  private List<Definition> reckonBatch(LeaderTransaction transaction, String tzdb, int after)
      throws SQLException {
    List<Definition> taken = FireStore.takeStaleSchedules(transaction, tzdb, after, batch);
    List<Decision> decisions = new ArrayList<>();
    List<Broken> broken = new ArrayList<>();
    for (Definition schedule : taken) {
      try {
        decisions.add(Decision.onlyNext(schedule, rules.times(schedule)));
      } catch (RuntimeException e) {
        broken.add(new Broken(schedule.id(), schedule.version(), reason(e)));
      }
    }
    if (!broken.isEmpty()) {
      FireStore.disableSchedules(transaction, broken);
    }
    if (!decisions.isEmpty()) {
      FireStore.fireSchedules(transaction, decisions, tzdb);
    }
    return taken;
  }
}
