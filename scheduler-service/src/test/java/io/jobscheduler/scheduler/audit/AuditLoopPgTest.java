package io.jobscheduler.scheduler.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AuditLoopPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void leaderSealsAllThereIsInBatches() throws Exception {
    assertFalse(rig.agenda.look().auditToSeal());
    database.sql("SELECT audit_write(1, 'job', g::text, NULL, 'x') FROM generate_series(1, 25) g");
    assertTrue(rig.agenda.look().auditToSeal());
    loop().runOnce();
    assertFalse(rig.agenda.look().auditToSeal());
    assertEquals("25", database.sql("SELECT sealed FROM verify_audit(1) WHERE broken_id IS NULL"));
  }

  @Test
  void standbySealsNothing() throws Exception {
    database.sql("SELECT audit_write(1, 'job', '1', NULL, 'x')");
    AuditLoop loop = loop();
    rig.leadership.close();
    loop.runOnce();
    assertEquals("0", database.sql("SELECT sealed FROM verify_audit(1)"));
  }

  private AuditLoop loop() {
    return new AuditLoop(
        rig.leadership,
        rig.transactions,
        rig.agenda,
        Configs.of(AuditConfig.class, "jobs.scheduler.audit.batch", "10"),
        rig.loops,
        rig.clock);
  }
}
