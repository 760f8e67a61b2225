package io.jobscheduler.scheduler.snapshots;

import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.snapshots.SnapshotStore.Held;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Measures the oldest snapshot from outside: an id that is held is remembered from when it was
 * first seen, as the times of other roles' transactions are hidden from this one. So an age is
 * short by up to one round, and by all that was before this term. Turned by one thread at a time,
 * asked by any.
 */
@Singleton
@Startup
public class OldSnapshots {
  private static final Logger LOG = Logger.getLogger(OldSnapshots.class);
  private static final Duration PERIOD = Duration.ofSeconds(15);

  /**
   * The one that has been held longest.
   *
   * @param age as of the last look
   * @param warns whether it is old enough for a warning
   */
  public record Oldest(String holder, Duration age, boolean warns) {}

  private final Leadership leadership;
  private final SnapshotStore store;
  private final SnapshotsConfig config;
  private final LongSupplier nanoClock;
  private final Loop loop;
  private Map<String, Long> seenAtNanos = new HashMap<>();
  private volatile boolean looked;
  private volatile @Nullable Oldest oldest;
  private @Nullable String warnedOf;

  @Inject
  OldSnapshots(
      Leadership leadership,
      DataSource dataSource,
      SnapshotsConfig config,
      MeterRegistry registry,
      Loops loops) {
    this(leadership, dataSource, config, registry, loops, System::nanoTime);
  }

  OldSnapshots(
      Leadership leadership,
      DataSource dataSource,
      SnapshotsConfig config,
      MeterRegistry registry,
      Loops loops,
      LongSupplier nanoClock) {
    this.leadership = leadership;
    this.store = new SnapshotStore(dataSource);
    this.config = config;
    this.nanoClock = nanoClock;
    this.loop = loops.add("snapshots", PERIOD);
    Gauge.builder("jobs.snapshot.age", this, OldSnapshots::ageSeconds)
        .description("how long the oldest snapshot has kept vacuum from cleaning up, at least")
        .baseUnit("seconds")
        .register(registry);
  }

  @Scheduled(every = "15s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** One look, when this process leads. */
  void runOnce() throws SQLException {
    if (leadership.current().isEmpty()) {
      seenAtNanos = new HashMap<>();
      looked = false;
      oldest = null;
      warnedOf = null;
      return;
    }
    Map<String, Long> seen = new HashMap<>();
    Oldest found = null;
    String foundXid = null;
    long now = nanoClock.getAsLong();
    for (Held held : store.read()) {
      long first = seenAtNanos.getOrDefault(held.xid(), now);
      Duration age = longer(Duration.ofNanos(now - first), held.forAtLeast());
      seen.put(held.xid(), first);
      if (found == null || age.compareTo(found.age()) > 0) {
        found = new Oldest(held.holder(), age, age.compareTo(config.warnAfter()) >= 0);
        foundXid = held.xid();
      }
    }
    seenAtNanos = seen;
    oldest = found;
    looked = true;
    say(found, foundXid);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** Once for each that gets old, and once when it is over. */
  private void say(@Nullable Oldest found, @Nullable String xid) {
    if (found != null && found.warns()) {
      if (xid != null && !xid.equals(warnedOf)) {
        LOG.warnf(
            "An old snapshot keeps vacuum from cleaning up, and claims get slow: holder=%s"
                + " seconds=%d",
            found.holder(), found.age().toSeconds());
        warnedOf = xid;
      }
    } else if (warnedOf != null) {
      LOG.info("No old snapshot is held any more.");
      warnedOf = null;
    }
  }

  /**
   * The oldest as of the last look; empty when nothing is held, or when this process does not lead.
   */
  public Optional<Oldest> oldest() {
    return Optional.ofNullable(oldest);
  }

  /** Not a number where nobody looks: on a standby. */
  private double ageSeconds() {
    if (!looked) {
      return Double.NaN;
    }
    return oldest().map(o -> o.age().toMillis() / 1e3).orElse(0.0);
  }
}
