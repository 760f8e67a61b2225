package io.jobscheduler.worker.database;

import io.agroal.api.AgroalPoolInterceptor;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Turns server-prepared statements off on pooled connections behind a transaction pooler, where the
 * next transaction may run in another session.
 */
@ApplicationScoped
public class PoolerMode implements AgroalPoolInterceptor {
  private final DatabaseConfig config;

  PoolerMode(DatabaseConfig config) {
    this.config = config;
  }

  @Override
  public void onConnectionCreate(Connection connection) {
    if (config.pooler() == DatabaseConfig.Pooler.TRANSACTION) {
      try {
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
      } catch (SQLException e) {
        throw new IllegalStateException("not a PostgreSQL connection", e);
      }
    }
  }
}
