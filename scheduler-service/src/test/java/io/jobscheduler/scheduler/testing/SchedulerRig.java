package io.jobscheduler.scheduler.testing;

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
import javax.sql.DataSource;

/** A scheduler process as plain objects, under its own database role. Close it after the test. */
public final class SchedulerRig implements AutoCloseable {
  public final ManualClock clock = new ManualClock();
  public final DataSource dataSource;
  public final DirectConnections connections;
  public final Loops loops = new Loops(clock);
  public final Leadership leadership;
  public final LeaderTransactions transactions;
  public final Agenda agenda;
  public final Signals signals;

  /** A standby, whose agenda is never stale and takes workers silent for half a second. */
  public SchedulerRig(TestDatabase database, String holder) {
    LeadershipConfig config = Configs.of(LeadershipConfig.class);
    dataSource = database.dataSource(Role.SCHEDULER);
    connections = connectionsTo(database);
    leadership = new Leadership(connections, config, loops, holder, clock);
    transactions = new LeaderTransactions(dataSource, config, System::nanoTime);
    agenda = new Agenda(dataSource, Duration.ofMillis(500), System::nanoTime, Duration.ZERO, 0);
    signals = new Signals(dataSource);
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
  }
}
