package io.jobscheduler.scheduler.retention;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Every;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.PassedOver;
import io.jobscheduler.scheduler.retention.RetentionStore.Walked;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes and drops partitions, and forgets workflows without members. Turned by one thread at a
 * time.
 */
@Singleton
@Startup
public class RetentionLoop {
  private static final Logger LOG = Logger.getLogger(RetentionLoop.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofMinutes(1);
  private static final int MADE_AT_ONCE = 20;
  private static final int LOG_DAYS_AHEAD = 3;

  /** Steps of the walk over search terms that find nothing before it rests. */
  private static final int IDLE_STEPS = 20;

  /** lock_not_available: somebody reads; waiting longer would hold up inserts. */
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Leadership leadership;
  private final LeaderTransactions transactions;
  private final RetentionConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private final PassedOver<LocalDate> passedOver;
  private @Nullable Term workedIn;
  private @Nullable SQLException failure;
  private long nextNanos;

  /** Where the walk over edges goes on; 0 between two walks. */
  private long edgesWalkedTo;

  /** As above, over the terms by which payloads are searched. */
  private long termsWalkedTo;

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
    this.passedOver = new PassedOver<>(RETRY, nanoClock);
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
    failure = null;
    boolean done = tryTo("make partitions", () -> ensure(term, end));
    done &= tryTo("drop partitions", () -> drop(term, end));
    done &=
        tryTo(
            "delete rows of the default partition",
            () -> inBatches(term, end, t -> RetentionStore.deleteDueDefaults(t, config.batch())));
    done &=
        tryTo(
            "forget workflows",
            () -> inBatches(term, end, t -> RetentionStore.forgetWorkflows(t, config.batch())));
    done &= tryTo("forget edges", () -> forgetEdges(term, end));
    done &= tryTo("forget search terms", () -> forgetSearchTerms(term, end));
    done &=
        tryTo(
            "forget keys",
            () -> inBatches(term, end, t -> RetentionStore.forgetKeys(t, config.batch())));
    done &= tryTo("make partitions of logs", () -> ensureLogs(term));
    done &= tryTo("drop partitions of logs", () -> dropLogs(term, end));
    done &=
        tryTo(
            "sweep notes",
            () ->
                inBatches(term, end, t -> RetentionStore.sweepNotes(t, logDays(), config.batch())));
    if (nanoClock.getAsLong() - end >= 0) {
      nextNanos = nanoClock.getAsLong();
    } else if (done) {
      nextNanos = nanoClock.getAsLong() + config.every().toNanos();
    }
    SQLException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }

  private boolean inBatches(Term term, long end, LeaderTransactions.Work<Integer> batch)
      throws SQLException {
    int gone;
    do {
      gone = transactions.run(term, batch);
      loop.worked(gone);
    } while (gone >= config.batch() && nanoClock.getAsLong() - end < 0);
    return true;
  }

  /** Walks on from where the last round's time was over; a whole walk is then done. */
  private boolean forgetEdges(Term term, long end) throws SQLException {
    do {
      long after = edgesWalkedTo;
      Walked walked =
          transactions.run(term, t -> RetentionStore.forgetEdges(t, after, config.batch()));
      loop.worked(walked.gone());
      edgesWalkedTo = walked.walkedTo().orElse(0);
    } while (edgesWalkedTo != 0 && nanoClock.getAsLong() - end < 0);
    return true;
  }

  /**
   * Goes on for as long as it finds something, and a stretch beyond: rows too many do no harm, and
   * what is gone lies together.
   */
  private boolean forgetSearchTerms(Term term, long end) throws SQLException {
    int idle = 0;
    do {
      long after = termsWalkedTo;
      Walked walked =
          transactions.run(term, t -> RetentionStore.forgetSearchTerms(t, after, config.batch()));
      loop.worked(walked.gone());
      idle = walked.gone() > 0 ? 0 : idle + 1;
      termsWalkedTo = walked.walkedTo().orElse(0);
    } while (termsWalkedTo != 0 && idle < IDLE_STEPS && nanoClock.getAsLong() - end < 0);
    return true;
  }

  private boolean ensure(Term term, long end) throws SQLException {
    int made = 0;
    int batch;
    do {
      batch = transactions.run(term, t -> RetentionStore.ensurePartitions(t, MADE_AT_ONCE));
      made += batch;
    } while (batch == MADE_AT_ONCE && nanoClock.getAsLong() - end < 0);
    if (made > 0) {
      LOG.infof("Partitions were made: partitions=%d", made);
    }
    return true;
  }

  /** One that cannot be dropped is passed over with growing pauses; the others go. */
  private boolean drop(Term term, long end) throws SQLException {
    Optional<LocalDate> dropped;
    do {
      List<LocalDate> except = passedOver.now();
      try {
        dropped = transactions.run(term, t -> RetentionStore.dropExpiredPartition(t, except));
        dropped.ifPresent(day -> LOG.infof("A partition was dropped: retained_until=%s", day));
        loop.worked(dropped.isPresent() ? 1 : 0);
      } catch (SQLException e) {
        dropped = transactions.run(term, t -> RetentionStore.nextExpired(t, except));
        dropped.ifPresent(day -> passOver(day, e));
      }
    } while (dropped.isPresent() && nanoClock.getAsLong() - end < 0);
    return passedOver.now().isEmpty();
  }

  private void passOver(LocalDate day, SQLException cause) {
    boolean first = passedOver.add(day);
    if (LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
      LOG.infof("A reader stands in the way and the drop is tried again later: day=%s", day);
    } else if (first) {
      LOG.errorf(cause, "A partition cannot be dropped, see what depends on it: day=%s", day);
    }
  }

  private boolean ensureLogs(Term term) throws SQLException {
    transactions.run(
        term, t -> RetentionStore.ensureLogPartitions(t, LOG_DAYS_AHEAD, MADE_AT_ONCE));
    return true;
  }

  private boolean dropLogs(Term term, long end) throws SQLException {
    Optional<LocalDate> dropped;
    do {
      dropped = transactions.run(term, t -> RetentionStore.dropExpiredLogs(t, logDays()));
      dropped.ifPresent(day -> LOG.infof("A partition of logs was dropped: written_on=%s", day));
      loop.worked(dropped.isPresent() ? 1 : 0);
    } while (dropped.isPresent() && nanoClock.getAsLong() - end < 0);
    return true;
  }

  private int logDays() {
    return (int) config.logs().toDays();
  }

  private interface Step {
    /** Returns whether nothing is left for a retry. */
    boolean run() throws SQLException;
  }

  /** Whatever is wrong with one step, the next one's turn comes. */
  private boolean tryTo(String what, Step step) {
    try {
      return step.run();
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        LOG.infof("A reader stands in the way and it is tried again later: to=%s", what);
      } else if (failure == null) {
        failure = e;
      }
      return false;
    }
  }
}
