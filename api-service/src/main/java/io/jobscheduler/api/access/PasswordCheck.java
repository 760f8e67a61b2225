package io.jobscheduler.api.access;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hashes and compares passwords, so many at once as configured: a flood of logins must not take all
 * memory and cores from the rest. Thread-safe.
 */
@ApplicationScoped
public class PasswordCheck {
  private static final long PATIENCE_SECONDS = 5;

  private final Semaphore turns;
  // Compared for users that do not exist, so that they take as long as those that do.
  private final String nobody = PasswordHash.of("no user has this password");

  PasswordCheck(AccessConfig config) {
    this.turns = new Semaphore(config.concurrentHashes(), true);
  }

  /** Whether {@code password} is the one of {@code stored}; false, after as long, without one. */
  boolean matches(String password, @Nullable String stored) {
    boolean same = inTurn(() -> PasswordHash.matches(password, stored == null ? nobody : stored));
    return same && stored != null;
  }

  /** Hashes a new password. */
  String hash(String password) {
    return inTurn(() -> PasswordHash.of(password));
  }

  private <T> T inTurn(Supplier<T> work) {
    try {
      if (!turns.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    }
    try {
      return work.get();
    } finally {
      turns.release();
    }
  }

  private static ProblemException busy() {
    return ProblemException.of(
        ProblemType.SERVICE_UNAVAILABLE, "Too many logins at once. Try again shortly.");
  }
}
