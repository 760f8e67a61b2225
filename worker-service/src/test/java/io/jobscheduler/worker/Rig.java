package io.jobscheduler.worker;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.claim.Claimer;
import io.jobscheduler.worker.claim.QueuePattern;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.lease.Timings;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Starts workers on a test's database, in quick time, and drains what is left at the end. */
final class Rig implements AfterEachCallback {
  /** Connections of a pool, as the service has them. */
  static final int POOL = 6;

  private final TestDatabase database;
  private final List<WorkerProcess> started = new ArrayList<>();
  private final List<AgroalDataSource> pools = new ArrayList<>();
  final AtomicInteger tooNew = new AtomicInteger();

  int slots = 4;
  int prefetch;
  Duration prefetchHorizon = Duration.ofMillis(10);
  Duration poll = Duration.ofMillis(50);
  Duration compare = Duration.ofMillis(500);
  Timings timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(3));
  Duration drainLimit = Duration.ofSeconds(30);
  Duration interruptGrace = Duration.ofMillis(300);
  Duration handlerGrace = Duration.ofMillis(300);
  int stuckLimit = 8;
  int largestParentResults = 4_194_304;
  @Nullable Path effectsFolder;

  Rig(TestDatabase database) {
    this.database = database;
  }

  /** New connections under the worker's role. */
  Connections connections() {
    return database.dataSource(Role.WORKER)::getConnection;
  }

  /** Pooled ones, as the service has them. */
  Connections pool() {
    return pool(database.url());
  }

  Connections pool(String url) {
    try {
      AgroalDataSource pool =
          AgroalDataSource.from(
              new AgroalDataSourceConfigurationSupplier()
                  .connectionPoolConfiguration(
                      settings ->
                          settings
                              .maxSize(POOL)
                              .connectionFactoryConfiguration(
                                  factory ->
                                      factory
                                          .jdbcUrl(url)
                                          .principal(new NamePrincipal(Role.WORKER.databaseName()))
                                          .credential(
                                              new SimplePassword(Role.WORKER.password())))));
      pools.add(pool);
      return pool::getConnection;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  WorkerProcess start(JobHandler... handlers) {
    return start(pool(), connections(), handlers);
  }

  WorkerProcess start(Connections pool, Connections direct, JobHandler... handlers) {
    WorkerProcess worker =
        new WorkerProcess(
            new WorkerSettings(
                "test",
                "test",
                slots,
                prefetch,
                prefetchHorizon,
                List.of(QueuePattern.of("*/*")),
                timings,
                new Claimer.Rhythm(poll, compare),
                drainLimit,
                interruptGrace,
                handlerGrace,
                stuckLimit,
                262_144,
                largestParentResults,
                effectsFolder),
            pool,
            direct,
            new HandlerRegistry(List.of(handlers)),
            () -> {},
            tooNew::incrementAndGet);
    worker.start();
    started.add(worker);
    return worker;
  }

  /** Starts a worker and waits until it is ready. */
  WorkerProcess ready(JobHandler... handlers) {
    WorkerProcess worker = start(handlers);
    Await.until("the worker is ready", worker::isReady);
    return worker;
  }

  void drain(WorkerProcess worker) {
    started.remove(worker);
    worker.drain();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    List.copyOf(started).forEach(this::drain);
    pools.forEach(AgroalDataSource::close);
  }
}
