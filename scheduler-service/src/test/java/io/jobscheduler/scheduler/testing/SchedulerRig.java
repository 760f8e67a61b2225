package io.jobscheduler.scheduler.testing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.jobscheduler.scheduler.agenda.Agenda;
import io.jobscheduler.scheduler.database.DirectConnections;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.LeadershipConfig;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.quarkus.credentials.CredentialsProvider;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** A scheduler process as plain objects, under its own database role. Close it after the test. */
public final class SchedulerRig implements AutoCloseable {
  public final ManualClock clock = new ManualClock();
  public final AgroalDataSource dataSource;
  public final DirectConnections connections;
  public final Loops loops = new Loops(clock);
  public final Leadership leadership;
  public final LeaderTransactions transactions;
  public final Agenda agenda;
  public final Signals signals;

  /** A standby, whose agenda is never stale and takes workers silent for half a second. */
  public SchedulerRig(TestDatabase database, String holder) {
    LeadershipConfig config = Configs.of(LeadershipConfig.class);
    dataSource = pool(database);
    connections = connectionsTo(database);
    leadership = new Leadership(connections, config, loops, holder, clock);
    transactions = new LeaderTransactions(dataSource, config, System::nanoTime);
    agenda = new Agenda(dataSource, Duration.ofMillis(500), System::nanoTime, Duration.ZERO, 0);
    signals = new Signals(dataSource);
  }

  /** The pool of the service, as its configuration makes it. */
  private static AgroalDataSource pool(TestDatabase database) {
    try {
      return AgroalDataSource.from(
          new AgroalDataSourceConfigurationSupplier()
              .connectionPoolConfiguration(
                  pool ->
                      pool.maxSize(8)
                          .acquisitionTimeout(Duration.ofSeconds(5))
                          .connectionFactoryConfiguration(
                              factory ->
                                  factory
                                      .jdbcUrl(database.url())
                                      .principal(new NamePrincipal(Role.SCHEDULER.databaseName()))
                                      .credential(new SimplePassword(Role.SCHEDULER.password()))
                                      .jdbcProperty("prepareThreshold", "0"))));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Direct connections to a database, under the scheduler's role. */
  public static DirectConnections connectionsTo(TestDatabase database) {
    Map<String, String> login =
        Map.of(
            CredentialsProvider.USER_PROPERTY_NAME, Role.SCHEDULER.databaseName(),
            CredentialsProvider.PASSWORD_PROPERTY_NAME, Role.SCHEDULER.password());
    return new DirectConnections(database.url(), () -> login);
  }

  /** A rig that leads. */
  public static SchedulerRig leading(TestDatabase database) throws SQLException {
    SchedulerRig rig = new SchedulerRig(database, "rig");
    rig.leadership.runOnce();
    rig.term();
    return rig;
  }

  /** The running term. */
  public Term term() {
    return leadership.current().orElseThrow();
  }

  @Override
  public void close() {
    leadership.close();
    signals.close();
    dataSource.close();
  }
}
