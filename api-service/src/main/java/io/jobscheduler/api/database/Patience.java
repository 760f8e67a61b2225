package io.jobscheduler.api.database;

import io.jobscheduler.api.problem.SqlFailures;
import java.util.Set;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;

/** Repeats a transaction that met another one. */
public final class Patience {
  // A deadlock, or a lock held for longer than the functions wait: nothing has happened.
  private static final Set<String> AGAIN = Set.of("40P01", "55P03");
  private static final int TRIES = 3;

  private Patience() {}

  /**
   * What {@code transaction}, which must be whole in itself, returns; tried three times at most.
   */
  public static <T> T with(Supplier<T> transaction) {
    for (int tries = 1; ; tries++) {
      try {
        return transaction.get();
      } catch (JdbiException e) {
        if (tries == TRIES || !AGAIN.contains(SqlFailures.stateOf(e))) {
          throw e;
        }
      }
    }
  }
}
