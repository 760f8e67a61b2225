package io.jobscheduler.scheduler.retention;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Makes and drops partitions. Turned by one thread at a time. */
@Singleton
@Startup
public class RetentionLoop {
  private static final Logger LOG = Logger.getLogger(RetentionLoop.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofMinutes(1);
  private static final int MADE_AT_ONCE = 20;

  /** lock_not_available: somebody reads; waiting longer would hold up inserts. */
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final RetentionConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private @Nullable Term workedIn;
  private long nextNanos;

  @Inject
  RetentionLoop(
      Leadership leadership, LeaderTransactions transactions, RetentionConfig config, Loops loops) {
    this(leadership, transactions, config, loops, System::nanoTime);
  }

  RetentionLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      RetentionConfig config,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.transactions = transactions;
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("retention", PERIOD);
  }

  @Scheduled(every = "10s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One round, when this process leads and the time has come. */
  void runOnce() throws SQLException {
    Term term = leadership.current().orElse(null);
    if (term == null || (term.equals(workedIn) && nanoClock.getAsLong() - nextNanos < 0)) {
      return;
    }
    workedIn = term;
    nextNanos = nanoClock.getAsLong() + RETRY.toNanos();
    long end = nanoClock.getAsLong() + Every.ROUND.toNanos();
    boolean made = tryTo("make partitions", () -> ensure(term, end));
    boolean dropped = tryTo("drop a partition", () -> drop(term, end));
    if (nanoClock.getAsLong() - end >= 0) {
      nextNanos = nanoClock.getAsLong();
    } else if (made && dropped) {
      nextNanos = nanoClock.getAsLong() + config.every().toNanos();
    }
  }

  private void ensure(Term term, long end) throws SQLException {
    int made = 0;
    int batch;
    do {
      batch = transactions.run(term, t -> RetentionStore.ensurePartitions(t, MADE_AT_ONCE));
      made += batch;
    } while (batch == MADE_AT_ONCE && nanoClock.getAsLong() - end < 0);
    if (made > 0) {
      LOG.infof("Partitions were made: partitions=%d", made);
    }
  }

  private void drop(Term term, long end) throws SQLException {
    Optional<LocalDate> dropped;
    do {
      dropped = transactions.run(term, RetentionStore::dropExpiredPartition);
      dropped.ifPresent(day -> LOG.infof("A partition was dropped: retained_until=%s", day));
    } while (dropped.isPresent() && nanoClock.getAsLong() - end < 0);
  }

  private interface Step {
    void run() throws SQLException;
  }

  private static boolean tryTo(String what, Step step) throws SQLException {
    try {
      step.run();
      return true;
    } catch (SQLException e) {
      if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw e;
      }
      LOG.infof("A reader stands in the way and it is tried again later: to=%s", what);
      return false;
    }
  }
}
