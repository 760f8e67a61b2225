package io.jobscheduler.worker.database;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
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
    source.setOptions(
        "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
            + " -c default_transaction_isolation=read\\ committed");
    return source.getConnection();
  }
}
