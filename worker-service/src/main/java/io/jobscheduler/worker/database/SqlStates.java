package io.jobscheduler.worker.database;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/** The classes of failure that a loop tells apart, by SQLSTATE only. */
public final class SqlStates {
  private static final Set<String> TRANSIENT = Set.of("40001", "40P01", "55P03");
  private static final String CHECK_VIOLATION = "23514";

  private SqlStates() {}

  /** Serialization failure, deadlock, lock not available: nothing happened, repeat at once. */
  public static boolean isTransient(SQLException e) {
    return TRANSIENT.contains(state(e));
  }

  /**
   * A value that cannot be stored (classes 22 and 23, and 54: JSON nested deeper than the server's
   * stack). A check violation that names no constraint is a missing partition, which is nobody's
   * data.
   */
  public static boolean isData(SQLException e) {
    String state = state(e);
    if (CHECK_VIOLATION.equals(state) && constraintOf(e) == null) {
      return false;
    }
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
  }

  private static @Nullable String constraintOf(SQLException e) {
    return e instanceof PSQLException p && p.getServerErrorMessage() != null
        ? p.getServerErrorMessage().getConstraint()
        : null;
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }
}
