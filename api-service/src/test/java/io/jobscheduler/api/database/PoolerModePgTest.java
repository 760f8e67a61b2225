package io.jobscheduler.api.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
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
