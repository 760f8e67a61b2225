package io.jobscheduler.scheduler.leadership;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * The only door through which the leader writes: a transaction that holds its epoch, or changes
 * nothing. Thread-safe.
 */
public final class LeaderTransactions {

  /**
   * Work inside a leader transaction.
   *
   * @param <T> its result
   */
  @FunctionalInterface
  public interface Work<T> {
    /** Does it; the transaction commits when this returns. */
    T in(LeaderTransaction transaction) throws SQLException;
  }

  private final DataSource dataSource;
  private final LongSupplier nanoClock;
  private final String statementLimit;
  private final String idleLimit;
  private final long startableNanos;

  /** Leader transactions over {@code dataSource}, READ COMMITTED by its default. */
  public LeaderTransactions(
      DataSource dataSource, LeadershipConfig config, LongSupplier nanoClock) {
    LeadershipConfig.checked(config);
    this.dataSource = dataSource;
    this.nanoClock = nanoClock;
    this.statementLimit = config.statementLimit().toMillis() + "ms";
    this.idleLimit = config.idleLimit().toMillis() + "ms";
    this.startableNanos = config.transactionLimit().minus(config.statementLimit()).toNanos();
  }

  /**
   * Runs {@code work} in one transaction of {@code term}. The connection goes back with autocommit
   * off; the pool restores it.
   *
   * @throws NotLeadingException when the term is over; nothing was changed
   * @throws SQLException as the work or the database throws; rolled back, or, after 08xxx and 57P01
   *     during the commit, of unknown outcome (all work of the leader may be repeated)
   */
  public <T> T run(Term term, Work<T> work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        if (!hold(connection, term)) {
          throw new NotLeadingException(term);
        }
        long lastStart = nanoClock.getAsLong() + startableNanos;
        T result = work.in(new LeaderTransaction(connection, nanoClock, lastStart));
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        rollback(connection, e);
        throw e;
      }
    }
  }

  // KEY SHARE: the renewal of renewed_at passes, raising the epoch waits. The limits are SET LOCAL
  // in
  // the same statement; together with the deadline of LeaderTransaction they bound the sum.
  private static final String HOLD_EPOCH =
      """
      SELECT set_config('statement_timeout', ?, true),
             set_config('idle_in_transaction_session_timeout', ?, true),
             set_config('client_connection_check_interval', '500ms', true)
        FROM jobs.leadership l
       WHERE l.epoch = ?
         FOR KEY SHARE OF l
      """;

  private boolean hold(Connection connection, Term term) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HOLD_EPOCH)) {
      statement.setString(1, statementLimit);
      statement.setString(2, idleLimit);
      statement.setLong(3, term.epoch());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  private static void rollback(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }
}
