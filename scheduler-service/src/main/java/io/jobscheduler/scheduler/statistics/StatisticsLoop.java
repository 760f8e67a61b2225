package io.jobscheduler.scheduler.statistics;

import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.statistics.StatisticsStore.Rolled;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/** Counts what ended and samples what waits. Turned by one thread at a time. */
@Singleton
@Startup
public class StatisticsLoop {
  private static final Logger LOG = Logger.getLogger(StatisticsLoop.class);
  private static final Duration LONGEST_SLICE = Duration.ofMinutes(1);
  private static final Duration SHORTEST_SLICE = Duration.ofMillis(1);

  /** A slice that took so long is not made longer. */
  private static final long LONG_NANOS = Duration.ofSeconds(1).toNanos();

  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);
  private static final int FORGOTTEN_AT_ONCE = 1_000;

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final Agenda agenda;
  private final StatisticsConfig config;
  private final LongSupplier nanoClock;
  private final Every forgetting;
  private final Loop loop;

  /**
   * What is counted in one transaction; shorter where a minute holds too much, or something bad.
   */
  private Duration slice = LONGEST_SLICE;

  @Inject
  StatisticsLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      StatisticsConfig config,
      Loops loops) {
    this(leadership, transactions, agenda, config, loops, System::nanoTime);
  }

  StatisticsLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      Agenda agenda,
      StatisticsConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.agenda = agenda;
    this.config = config;
    this.nanoClock = nanoClock;
    this.forgetting = new Every(FORGET_EVERY, nanoClock);
    this.loop = loops.add("statistics", Duration.ofSeconds(1));
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads and a minute is over. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || !agenda.look().statisticsDue()) {
      return;
    }
    // First, since a sample that comes late is of another minute.
    try {
      transactions.run(term, StatisticsStore::sampleDepths);
    } finally {
      rollUp(term);
    }
    if (forgetting.isDue()) {
      forget(term);
    }
  }

  private void rollUp(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    boolean counted = false;
    Optional<Rolled> rolled;
    do {
      rolled = rollUpSlice(term, end);
      counted |= rolled.isPresent() && rolled.get().touched() > 0;
      loop.worked(rolled.map(r -> Math.max(r.touched(), 0)).orElse(0));
    } while (rolled.isPresent() && !rolled.get().isOpen() && nanoClock.getAsLong() - end < 0);
    if (counted) {
      transactions.run(term, StatisticsStore::summarise);
    }
  }

  /** Counts the next slice; what fails is halved, and left out once it cannot be halved further. */
  private Optional<Rolled> rollUpSlice(Term term, long end) throws SQLException {
    while (true) {
      Duration tried = slice;
      long start = nanoClock.getAsLong();
      try {
        Optional<Rolled> rolled =
            transactions.run(term, t -> StatisticsStore.rollUp(t, tried, config.patience(), false));
        if (nanoClock.getAsLong() - start < LONG_NANOS) {
          slice = min(tried.multipliedBy(2), LONGEST_SLICE);
        }
        return rolled;
      } catch (SQLException e) {
        slice = Duration.ofMillis(Math.max(tried.toMillis() / 2, SHORTEST_SLICE.toMillis()));
        if (!isDataFault(e) || nanoClock.getAsLong() - end >= 0) {
          throw e;
        }
        if (tried.compareTo(SHORTEST_SLICE) <= 0) {
          return skip(term, e);
        }
      }
    }
  }

  private Optional<Rolled> skip(Term term, SQLException cause) throws SQLException {
    Optional<Rolled> rolled =
        transactions.run(
            term, t -> StatisticsStore.rollUp(t, SHORTEST_SLICE, config.patience(), true));
    LOG.errorf(
        cause,
        "A millisecond cannot be counted and is left out of the statistics, see what ended then:"
            + " before=%s",
        rolled.map(Rolled::rolledTo).orElse(null));
    return rolled;
  }

  private static boolean isDataFault(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("22") || state.startsWith("23"));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private void forget(Term term) throws SQLException {
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    int forgotten;
    do {
      forgotten = transactions.run(term, t -> StatisticsStore.forget(t, FORGOTTEN_AT_ONCE));
    } while (forgotten == FORGOTTEN_AT_ONCE && nanoClock.getAsLong() - end < 0);
  }
}
