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
 * @param rules which limits were in force when, by queue id, in order of time; what lies between
 *     two of a queue is not known
 * @param nanosMinusMicros {@code System.nanoTime()} minus the database's clock in nanoseconds since
 *     the epoch, by the sample that took least time; null when there is none
 * @param clockSlackNanos by how much that may be off at some time of the run: half the width of
 *     that sample, and how far the clock was moved since by what the other samples prove
 * @param longestGapMillis between two samples, or the last one and the end
 */
public record Observations(
    long samples,
    long failures,
    long limitChecks,
    List<Violation> overLimit,
    long overLimitCount,
    Map<Integer, List<Rule>> rules,
    @Nullable Long nanosMinusMicros,
    long clockSlackNanos,
    long longestGapMillis) {
  public Observations {
    overLimit = List.copyOf(overLimit);
    rules = Map.copyOf(rules);
  }

  /**
   * Limits of a queue while nobody edited it. Times in microseconds since the epoch.
   *
   * @param from the edit that made them so
   * @param before up to here they are known to have been so
   * @param jobs that run at once; null: no limit
   * @param perKey jobs of one concurrency key; null: no limit
   */
  public record Rule(long from, long before, @Nullable Integer jobs, @Nullable Integer perKey) {}

  /** Nothing was seen. */
  public static Observations none() {
    return new Observations(0, 0, 0, List.of(), 0, Map.of(), null, 0, 0);
  }
}
