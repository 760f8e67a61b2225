package io.jobscheduler.api.problem;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads SQLSTATEs. */
public final class SqlFailures {
  /** unique_violation. */
  public static final String UNIQUE = "23505";

  /** foreign_key_violation. */
  public static final String FOREIGN_KEY = "23503";

  // The classes of "try later": connection exception, insufficient resources, operator
  // intervention, system error, transaction rollback; a password or database that is not there
  // (yet); and a schema that is not there yet.
  private static final Set<String> AWAY = Set.of("08", "53", "57", "58", "40", "28", "3D");
  private static final Set<String> NOT_MIGRATED = Set.of("42P01", "3F000", "55P03");

  /** The database takes no connections (ALLOW_CONNECTIONS false); no function of ours raises it. */
  private static final String CLOSED = "55000";

  private SqlFailures() {}

  /** The SQL exception in a chain of causes, or null. */
  static @Nullable SQLException in(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** The SQLSTATE in a chain of causes; empty when there is none. */
  public static String stateOf(Throwable failure) {
    SQLException sql = in(failure);
    return sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
  }

  /** Whether the database, or a connection to it, is missing just now. */
  static boolean isAway(SQLException failure) {
    String state = failure.getSQLState();
    if (state == null || state.isEmpty()) {
      // The pool's own: no connection became free in time.
      return true;
    }
    return NOT_MIGRATED.contains(state)
        || state.equals(CLOSED)
        || (state.length() == 5 && AWAY.contains(state.substring(0, 2)));
  }
}
