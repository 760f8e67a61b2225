package io.jobscheduler.api.database;

import io.agroal.api.AgroalPoolInterceptor;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Keeps pooled connections free of server-prepared statements behind a transaction pooler: the next
 * transaction may find itself in a session that knows none of them.
 */
@ApplicationScoped
class PoolerMode implements AgroalPoolInterceptor {
  private final DatabaseConfig config;

  PoolerMode(DatabaseConfig config) {
    this.config = config;
  }

  @Override
  public void onConnectionCreate(Connection connection) {
    if (config.pooler() != DatabaseConfig.Pooler.TRANSACTION) {
      return;
    }
    try {
      connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    } catch (SQLException e) {
      throw new IllegalStateException("not a PostgreSQL connection", e);
    }
  }
}
