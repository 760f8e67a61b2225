package io.jobscheduler.scheduler.agenda;

import io.jobscheduler.scheduler.rescue.RescueConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The leader's view of what there is to do, asked by all loops and looked up for them once.
 * Thread-safe: who comes while another looks waits for its answer.
 */
@Singleton
public class Agenda {
  private static final Logger LOG = Logger.getLogger(Agenda.class);

  /** Looking takes at most a tenth of the time. */
  private static final int REST_FACTOR = 9;

  private final AgendaStore store;
  private final LongSupplier nanoClock;
  private final long freshNanos;
  private final int restFactor;
  private @Nullable Findings last;
  private long staleAtNanos;

  @Inject
  Agenda(DataSource dataSource, RescueConfig rescue) {
    this(
        dataSource,
        RescueConfig.earlyLoss(rescue),
        System::nanoTime,
        Duration.ofMillis(500),
        REST_FACTOR);
  }

  /**
   * An agenda.
   *
   * @param silence the time without a beat after which a worker is worth a look
   * @param fresh how long an answer serves at least
   * @param restFactor and how many times as long as finding it took
   */
  public Agenda(
      DataSource dataSource,
      Duration silence,
      LongSupplier nanoClock,
      Duration fresh,
      int restFactor) {
    this.store = new AgendaStore(dataSource, silence);
    this.nanoClock = nanoClock;
    this.freshNanos = fresh.toNanos();
    this.restFactor = restFactor;
  }

  /** What there is to do, as of just now. */
  public synchronized Findings look() {
    long start = nanoClock.getAsLong();
    Findings known = last;
    if (known != null && start - staleAtNanos < 0) {
      return known;
    }
    Findings found = ask();
    long end = nanoClock.getAsLong();
    staleAtNanos = end + Math.max(freshNanos, restFactor * (end - start));
    last = found;
    return found;
  }

  private Findings ask() {
    try {
      return store.find();
    } catch (SQLException e) {
      LOG.debug("the agenda could not be read", e);
      return Findings.UNKNOWN;
    }
  }
}
