package io.jobscheduler.scheduler.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.quarkus.credentials.CredentialsProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a statement that fails unforeseen tells, and so the log: not the row, which has payloads.
 */
class FailureTextPgTest {
  private static final String POOL = "quarkus.datasource.jdbc.additional-jdbc-properties.";
  private static final String SECRET = "marker-of-log";

  @RegisterExtension final TestDatabase database = new TestDatabase();

  /** As the pool opens them. */
  private Connection pooled() throws SQLException, IOException {
    Properties all = new Properties();
    try (InputStream file =
        DirectConnections.class.getResourceAsStream("/application.properties")) {
      all.load(file);
    }
    Properties properties = new Properties();
    for (String name : all.stringPropertyNames()) {
      if (name.startsWith(POOL)) {
        properties.setProperty(name.substring(POOL.length()), all.getProperty(name));
      }
    }
    properties.setProperty("user", Role.SCHEDULER.databaseName());
    properties.setProperty("password", Role.SCHEDULER.password());
    return DriverManager.getConnection(database.url(), properties);
  }

  private Connection direct() throws SQLException {
    return new DirectConnections(
            database.url(),
            () ->
                Map.of(
                    CredentialsProvider.USER_PROPERTY_NAME,
                    Role.SCHEDULER.databaseName(),
                    CredentialsProvider.PASSWORD_PROPERTY_NAME,
                    Role.SCHEDULER.password()))
        .open("test", Duration.ofSeconds(10));
  }

  private static void assertTellsNoValue(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TEMPORARY TABLE told (v text PRIMARY KEY)");
    }
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO pg_temp.told VALUES (?)")) {
      insert.setString(1, SECRET);
      insert.execute();
      assertSilent("23505", assertThrows(SQLException.class, insert::execute));
      insert.setString(1, SECRET);
      insert.addBatch();
      assertSilent("23505", assertThrows(BatchUpdateException.class, insert::executeBatch));
    }
  }

  private static void assertSilent(String state, SQLException failure) {
    assertEquals(state, failure.getSQLState());
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text, true));
    for (SQLException next = failure; next != null; next = next.getNextException()) {
      text.write(String.valueOf(next));
    }
    assertFalse(text.toString().contains(SECRET), text::toString);
  }

  @Test
  void ofThePool() throws SQLException, IOException {
    try (Connection connection = pooled()) {
      assertTellsNoValue(connection);
    }
  }

  @Test
  void ofDirectConnections() throws SQLException {
    try (Connection connection = direct()) {
      assertTellsNoValue(connection);
    }
  }
}
