package io.jobscheduler.scheduler.database;

import io.quarkus.credentials.CredentialsProvider;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Opens sessions on the direct address: no pooler between, so session locks and LISTEN hold.
 * Thread-safe.
 */
@Singleton
public class DirectConnections {
  private static final Executor ON_CALLING_THREAD = Runnable::run;

  /**
   * The server frees a half-open session 9 s after the last sign of life (3 s of silence, then
   * three probes 2 s apart; the user timeout covers what was sent and never acknowledged), and
   * notices a peer that died while it waits for a lock within half a second. A statement that waits
   * for more than {@code statement_timeout} gives the session up rather than hang.
   */
  private static final String SESSION_OPTIONS =
      "-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
          + " -c tcp_user_timeout=9000 -c client_connection_check_interval=500"
          + " -c statement_timeout=8000 -c lock_timeout=7000"
          + " -c default_transaction_isolation=read\\ committed"
          + " -c jobs.session=direct";

  private final String url;
  private final Supplier<Map<String, String>> credentials;

  @Inject
  DirectConnections(DatabaseConfig config, DatabaseCredentials credentials) {
    this(config.directUrl().orElse(config.url()), () -> credentials.getCredentials(null));
  }

  /**
   * Sessions at {@code url}, with the credentials (as {@link CredentialsProvider} names them) asked
   * for at each connect.
   */
  public DirectConnections(String url, Supplier<Map<String, String>> credentials) {
    this.url = url;
    this.credentials = credentials;
  }

  /**
   * A new session in autocommit; the caller closes it.
   *
   * @param purpose shown in {@code pg_stat_activity.application_name}
   * @param silence how long a reply may take before the connection counts as broken
   */
  public Connection open(String purpose, Duration silence) throws SQLException {
    Map<String, String> login = credentials.get();
    Properties properties = new Properties();
    properties.setProperty("user", login.getOrDefault(CredentialsProvider.USER_PROPERTY_NAME, ""));
    properties.setProperty(
        "password", login.getOrDefault(CredentialsProvider.PASSWORD_PROPERTY_NAME, ""));
    properties.setProperty("ApplicationName", purpose);
    properties.setProperty("options", SESSION_OPTIONS);
    properties.setProperty("assumeMinServerVersion", "14");
    properties.setProperty("tcpKeepAlive", "true");
    // As of the pool: no row in a log.
    properties.setProperty("logServerErrorDetail", "false");
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("loginTimeout", "5");
    Connection connection = DriverManager.getConnection(url, properties);
    boolean checked = false;
    try {
      setSilence(connection, silence);
      requireOwnSession(connection);
      checked = true;
      return connection;
    } finally {
      if (!checked) {
        connection.close();
      }
    }
  }

  // A setting of our own, given at the connect: a pooler that gives each transaction another
  // session
  // refuses it, or was told to ignore it and drops it.
  private static final String SESSION_SETTING = "SELECT current_setting('jobs.session', true)";

  /**
   * Requires that a connection has the session that it asked for.
   *
   * @throws SQLException 08001 when a pooler stands between: locks and LISTEN would not hold
   */
  static void requireOwnSession(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SESSION_SETTING)) {
      if (!row.next() || !"direct".equals(row.getString(1))) {
        throw new SQLException(
            "JOBS_DB_DIRECT_URL leads through a pooler that drops session settings: session locks"
                + " would not hold, give the server's own address",
            "08001");
      }
    }
  }

  /** Changes how long a reply may take before the connection counts as broken. */
  public static void setSilence(Connection connection, Duration silence) throws SQLException {
    connection.setNetworkTimeout(ON_CALLING_THREAD, Math.toIntExact(silence.toMillis()));
  }
}
