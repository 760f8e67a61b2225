package io.jobscheduler.api.database;

import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Unpooled connections on the direct address, for session locks and migration. */
public final class DirectConnections {
  private static final int CONNECT_TIMEOUT_SECONDS = 10;

  private DirectConnections() {}

  /**
   * A source of new connections past any pooler.
   *
   * @throws java.io.UncheckedIOException when the password file cannot be read
   * @throws IllegalArgumentException when the URL is not one of PostgreSQL
   */
  public static DataSource of(DatabaseConfig config) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(config.directUrl().orElse(config.url()));
    source.setUser(config.username());
    source.setPassword(DatabaseCredentials.password(config));
    source.setApplicationName("api-service");
    source.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
    source.setTcpKeepAlive(true);
    return source;
  }
}
