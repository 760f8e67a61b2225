package io.jobscheduler.localstack.process;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another process brings about and cannot announce to this one. */
public final class Await {
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Await() {}

  /** Asks every 20 ms until the answer is true; false when it was not within the limit. */
  public static boolean until(Duration limit, BooleanSupplier condition) {
    return value(limit, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty())
        .isPresent();
  }

  /** Asks every 20 ms until there is an answer; empty when there was none within the limit. */
  public static <T> Optional<T> value(Duration limit, Supplier<Optional<T>> question) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Optional<T> answer = question.get();
      if (answer.isPresent() || System.nanoTime() > deadline) {
        return answer;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new StackFailure("Interrupted while waiting.");
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }
}
