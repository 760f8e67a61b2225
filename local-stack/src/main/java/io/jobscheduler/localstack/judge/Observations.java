package io.jobscheduler.localstack.judge;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the observer saw. Immutable.
 *
 * @param samples one-snapshot looks at the database
 * @param failures looks that failed, as while the database was away
 * @param limitChecks queues under a limit and keys under theirs, over all samples
 * @param overLimit what was above its bound, the first so many in words
 * @param overLimitCount how often
 * @param steady limits of queues that nobody edited from the first sample to the last: queue id to
 *     its limits
 * @param nanosMinusMicros {@code System.nanoTime()} minus the database's clock in nanoseconds since
 *     the epoch, by the sample that took least time; null when there is none
 * @param longestGapMillis between two samples
 */
public record Observations(
    long samples,
    long failures,
    long limitChecks,
    List<Violation> overLimit,
    long overLimitCount,
    Map<Integer, Limits> steady,
    @Nullable Long nanosMinusMicros,
    long longestGapMillis) {
  public Observations {
    overLimit = List.copyOf(overLimit);
    steady = Map.copyOf(steady);
  }

  /**
   * A queue's limits.
   *
   * @param jobs that run at once; null: no limit
   * @param perKey jobs of one concurrency key; null: no limit
   */
  public record Limits(@Nullable Integer jobs, @Nullable Integer perKey) {}

  /** Nothing was seen. */
  public static Observations none() {
    return new Observations(0, 0, 0, List.of(), 0, Map.of(), null, 0);
  }
}
