package io.jobscheduler.scheduler.snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.health.SnapshotWarning;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OldSnapshotsPgTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private SchedulerRig rig;
  private OldSnapshots snapshots;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    snapshots = of(rig, meters);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static OldSnapshots of(SchedulerRig rig, SimpleMeterRegistry meters) {
    return new OldSnapshots(
        rig.leadership,
        rig.dataSource,
        Configs.of(SnapshotsConfig.class),
        meters,
        rig.loops,
        rig.clock);
  }

  private double age() {
    return meters.get("jobs.snapshot.age").gauge().value();
  }

  /** Ids go on, as they do while jobs run. */
  private void others() {
    database.sql("UPDATE leadership SET renewed_at = clock_timestamp()");
  }

  private static int snapshot(Connection connection, int isolation) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(isolation);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void snapshotOfAnotherRoleIsToldOfOnceItIsFiveMinutesOld() throws Exception {
    try (Connection holder = database.connect(Role.OWNER);
        LogCapture log = LogCapture.of(OldSnapshots.class)) {
      int pid = snapshot(holder, Connection.TRANSACTION_REPEATABLE_READ);
      others();
      snapshots.runOnce();
      rig.clock.advance(MINUTE.multipliedBy(4));
      others();
      snapshots.runOnce();
      assertEquals(240, age());
      assertEquals(0, log.messages().size(), "young enough: " + log.messages());

      rig.clock.advance(MINUTE);
      others();
      snapshots.runOnce();
      snapshots.runOnce();
      assertEquals(300, age());
      HealthCheckResponse health = new SnapshotWarning(snapshots).call();
      assertEquals(HealthCheckResponse.Status.UP, health.getStatus());
      String who = "process %d of role %s".formatted(pid, Role.OWNER.databaseName());
      assertEquals(who, health.getData().orElseThrow().get("holder"));
      assertEquals(300L, health.getData().orElseThrow().get("seconds"));
      assertEquals(1, log.messages().size(), "once: " + log.messages());
      assertTrue(log.messages().get(0).contains("holder=" + who), log.messages().toString());

      holder.rollback();
      others();
      snapshots.runOnce();
      assertEquals(0, age());
      assertFalse(new SnapshotWarning(snapshots).call().getData().isPresent());
      assertEquals(2, log.messages().size(), "it is over: " + log.messages());
    }
  }

  @Test
  void longTransactionIsMeantByWhatItHoldsNotByItsLength() throws Exception {
    try (Connection reader = database.connect(Role.OWNER);
        Statement statement = reader.createStatement()) {
      snapshot(reader, Connection.TRANSACTION_READ_COMMITTED);
      snapshots.runOnce();
      rig.clock.advance(MINUTE.multipliedBy(10));
      others();
      // A new statement, a new snapshot.
      statement.execute("SELECT 1");
      snapshots.runOnce();
      assertEquals(0, age());

      // Once it has written, its own id holds vacuum back, whatever it does later.
      statement.execute("SELECT pg_current_xact_id()");
      others();
      snapshots.runOnce();
      rig.clock.advance(MINUTE.multipliedBy(10));
      others();
      statement.execute("SELECT 1");
      snapshots.runOnce();
      assertEquals(600, age());
      reader.rollback();
    }
  }

  @Test
  void standbySaysNothing() throws Exception {
    SimpleMeterRegistry others = new SimpleMeterRegistry();
    try (SchedulerRig standby = new SchedulerRig(database, "standby")) {
      OldSnapshots idle = of(standby, others);
      idle.runOnce();
      assertTrue(Double.isNaN(others.get("jobs.snapshot.age").gauge().value()));
      assertTrue(idle.oldest().isEmpty());
    }
  }
}
