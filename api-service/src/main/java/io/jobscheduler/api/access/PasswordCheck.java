package io.jobscheduler.api.access;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hashes and compares passwords, so many at once as configured: a flood of logins must not take all
 * memory, cores and request threads from the rest. Those above wait; above {@value #MOST_WAITING}
 * waiting they are refused at once. Thread-safe.
 */
@ApplicationScoped
public class PasswordCheck {
  /** Each holds a request thread meanwhile, of which there are 200. */
  static final int MOST_WAITING = 32;

  private static final long PATIENCE_SECONDS = 5;

  private final Semaphore turns;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong hashed = new AtomicLong();
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

  /** Runs {@code work} when there is a turn. */
  <T> T inTurn(Supplier<T> work) {
    try {
      if (waiting.incrementAndGet() > MOST_WAITING
          || !turns.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    } finally {
      waiting.decrementAndGet();
    }
    hashed.incrementAndGet();
    try {
      return work.get();
    } finally {
      turns.release();
    }
  }

  /** How many passwords have been hashed so far. */
  long hashed() {
    return hashed.get();
  }

  /** How many wait for a turn. */
  int waiting() {
    return waiting.get();
  }

  private static ProblemException busy() {
    return ProblemException.of(
        ProblemType.SERVICE_UNAVAILABLE, "Too many logins at once. Try again shortly.");
  }
}
