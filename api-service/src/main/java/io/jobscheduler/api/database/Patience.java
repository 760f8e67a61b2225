package io.jobscheduler.api.database;

import io.jobscheduler.api.problem.SqlFailures;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Repeats what met another transaction. */
public final class Patience {
  // A deadlock, or a lock held for longer than the functions wait: nothing has happened.
  private static final Set<String> AGAIN = Set.of("40P01", "55P03");
  private static final int TRIES = 3;
  private static final String SAVEPOINT = "attempt";

  private Patience() {}

  /** Undoes what this try has done, inside {@link #in}; the transaction goes on. */
  public static void undo(Handle h) {
    h.rollbackToSavepoint(SAVEPOINT);
  }

  /**
   * What {@code work} returns, in a transaction; tried three times at most. Each try begins at a
   * savepoint: the transaction may be a caller's, which must outlive the failure.
   */
  public static <T extends @Nullable Object> T in(Jdbi jdbi, Function<Handle, T> work) {
    return jdbi.inTransaction(
        h -> {
          for (int tries = 1; ; tries++) {
            h.savepoint(SAVEPOINT);
            try {
              return work.apply(h);
            } catch (JdbiException e) {
              if (tries == TRIES || !AGAIN.contains(SqlFailures.stateOf(e))) {
                throw e;
              }
              h.rollbackToSavepoint(SAVEPOINT);
            }
          }
        });
  }
}
