package io.jobscheduler.scheduler.schema;

import io.jobscheduler.schema.version.SchemaGate;
import io.jobscheduler.schema.version.SchemaGate.Fits;
import io.jobscheduler.schema.version.SchemaGate.TooNew;
import io.jobscheduler.schema.version.SchemaGate.Verdict;
import io.quarkus.runtime.Quarkus;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The schema gate over time. A standby asks until the schema fits and then rests (it has one
 * statement per second, which is not this); who leads asks again each minute. {@link #mayWork}
 * belongs to one thread, {@link #verdict} to any.
 */
@Singleton
public class SchemaWatch {
  private static final Logger LOG = Logger.getLogger(SchemaWatch.class);
  private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private final DataSource dataSource;
  private final LongSupplier nanoClock;
  private final Runnable stop;
  private volatile @Nullable Verdict verdict;
  private long askedAtNanos;

  @Inject
  SchemaWatch(DataSource dataSource) {
    this(dataSource, System::nanoTime, () -> Quarkus.asyncExit(1));
  }

  SchemaWatch(DataSource dataSource, LongSupplier nanoClock, Runnable stop) {
    this.dataSource = dataSource;
    this.nanoClock = nanoClock;
    this.stop = stop;
  }

  /**
   * Whether the schema fits; asks the database where the answer is not known or, for a leader, a
   * minute old.
   */
  public boolean mayWork(boolean leading) throws SQLException {
    boolean fits = verdict instanceof Fits;
    if (!fits || (leading && nanoClock.getAsLong() - askedAtNanos >= AGAIN_NANOS)) {
      fits = ask() instanceof Fits;
    }
    return fits;
  }

  private Verdict ask() throws SQLException {
    Verdict before = verdict;
    Verdict found;
    try (Connection connection = dataSource.getConnection()) {
      found = SchemaGate.check(connection);
    }
    askedAtNanos = nanoClock.getAsLong();
    verdict = found;
    if (found instanceof TooNew) {
      LOG.errorf("This build cannot work with the database and stops: %s", found.message());
      stop.run();
    } else if (!found.equals(before)) {
      LOG.infof("The schema was checked: %s", found.message());
    }
    return found;
  }

  /** What was found last; null before the first answer. */
  public @Nullable Verdict verdict() {
    return verdict;
  }
}
