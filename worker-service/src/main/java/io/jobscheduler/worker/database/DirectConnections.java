package io.jobscheduler.worker.database;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections past any pooler, each one new. The server gives up on a peer that vanished after a
 * minute: later than the worker timeout, so that no session lock is freed before its worker counts
 * as lost.
 */
@ApplicationScoped
public class DirectConnections implements Connections {
  private static final int CONNECT_SECONDS = 2;

  private final DatabaseConfig config;
  private final DatabasePassword password;

  DirectConnections(DatabaseConfig config, DatabasePassword password) {
    this.config = config;
    this.password = password;
  }

  @Override
  public Connection open() throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(config.directUrl().orElseGet(config::url));
    source.setUser(config.username());
    String secret = password.current();
    if (secret != null) {
      source.setPassword(secret);
    }
    source.setApplicationName("worker-service direct");
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setLoginTimeout(CONNECT_SECONDS);
    source.setTcpKeepAlive(true);
    // As of the pool: no row in a log.
    source.setLogServerErrorDetail(false);
    source.setOptions(
        "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
            + " -c default_transaction_isolation=read\\ committed"
            + " -c jobs.session=direct");
    Connection connection = source.getConnection();
    boolean checked = false;
    try {
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
}
