package io.jobscheduler.api.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PoolerModePgTest {
  private static final String PREPARED = "SELECT count(*) FROM pg_prepared_statements";

  @RegisterExtension final TestDatabase database = new TestDatabase();

  /**
   * Behind PgBouncer in transaction mode a statement that the driver has prepared on the server,
   * which it does at its fifth run, is not there on the next server connection.
   */
  @Test
  void leavesNoPreparedStatementBehindATransactionPooler() throws SQLException {
    assertEquals(0, preparedAfterManyRuns(DatabaseConfig.Pooler.TRANSACTION));
    assertEquals(1, preparedAfterManyRuns(DatabaseConfig.Pooler.NONE));
  }

  /**
   * The driver's isolation level is a setting of the session: behind a transaction pooler a write
   * of another client met it there, and failed.
   */
  @Test
  void readsOfOneSnapshotLeaveTheSessionAsItWas() {
    Jdbi jdbi = TestProjects.api(database);
    IndexReads.ofOneSnapshot(
        jdbi,
        h -> {
          assertEquals("repeatable read", shown(h, "transaction_isolation"));
          assertEquals("read committed", shown(h, "default_transaction_isolation"));
          return true;
        });
    IndexReads.ofOneSnapshotWithin(
        jdbi,
        Duration.ofSeconds(9),
        h -> {
          assertEquals("9s", shown(h, "statement_timeout"));
          assertEquals("read committed", shown(h, "default_transaction_isolation"));
          return true;
        });
  }

  private static String shown(Handle h, String setting) {
    return h.createQuery("SELECT current_setting(:setting)")
        .bind("setting", setting)
        .mapTo(String.class)
        .one();
  }

  private int preparedAfterManyRuns(DatabaseConfig.Pooler pooler) throws SQLException {
    try (Connection connection = database.connect(Role.API)) {
      TestConfig config = new TestConfig(Optional.empty(), Optional.empty(), pooler);
      new PoolerMode(config).onConnectionCreate(connection);
      int prepared = 0;
      for (int i = 0; i < 10; i++) {
        try (PreparedStatement statement = connection.prepareStatement(PREPARED);
            ResultSet row = statement.executeQuery()) {
          row.next();
          prepared = row.getInt(1);
        }
      }
      return prepared;
    }
  }
}
