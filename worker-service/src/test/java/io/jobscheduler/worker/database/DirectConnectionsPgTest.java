package io.jobscheduler.worker.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DirectConnectionsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  /**
   * Symptom: behind a transaction pooler that was told to ignore startup options, processes shared
   * one session lock.
   */
  @Test
  void refusesASessionThatLostItsSettings() throws SQLException {
    try (Connection pooled = database.connect(Role.WORKER)) {
      SQLException refused =
          assertThrows(SQLException.class, () -> DirectConnections.requireOwnSession(pooled));
      assertEquals("08001", refused.getSQLState());
      assertTrue(refused.getMessage().contains("JOBS_DB_DIRECT_URL"), refused::getMessage);
    }
    try (Connection direct =
        DriverManager.getConnection(
            database.url() + "?options=-c%20jobs.session=direct",
            Role.WORKER.databaseName(),
            Role.WORKER.password())) {
      DirectConnections.requireOwnSession(direct);
    }
  }
}
