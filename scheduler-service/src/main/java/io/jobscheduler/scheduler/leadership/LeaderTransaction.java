package io.jobscheduler.scheduler.leadership;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.function.LongSupplier;

/** What a leader may do inside one of its transactions. Not thread-safe. */
public final class LeaderTransaction {
  private final Connection connection;
  private final LongSupplier nanoClock;
  private final long lastStartNanos;

  LeaderTransaction(Connection connection, LongSupplier nanoClock, long lastStartNanos) {
    this.connection = connection;
    this.nanoClock = nanoClock;
    this.lastStartNanos = lastStartNanos;
  }

  /**
   * Prepares the next statement; execute it at once.
   *
   * @throws SQLTimeoutException when a whole statement's limit is no longer left of the
   *     transaction's: the sum stays below its limit whatever the statement takes
   */
  public PreparedStatement prepare(String sql) throws SQLException {
    if (nanoClock.getAsLong() - lastStartNanos > 0) {
      throw new SQLTimeoutException("the leader transaction has lasted too long", "57014");
    }
    return connection.prepareStatement(sql);
  }

  /** The connection, for making arrays. */
  public Connection connection() {
    return connection;
  }
}
