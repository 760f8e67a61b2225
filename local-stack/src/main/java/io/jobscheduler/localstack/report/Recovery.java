package io.jobscheduler.localstack.report;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * How long the system took to go on after faults of one kind.
 *
 * @param count how many recoveries were measured
 * @param p50 by the nearest rank
 * @param p99 by the nearest rank
 */
public record Recovery(int count, Duration p50, Duration p99, Duration max) {
  /** Of measured times; zeros when there is none. */
  public static Recovery of(Collection<Duration> times) {
    List<Duration> sorted = times.stream().sorted().toList();
    return new Recovery(sorted.size(), rank(sorted, 50), rank(sorted, 99), rank(sorted, 100));
  }

  private static Duration rank(List<Duration> sorted, int percent) {
    int rank = (sorted.size() * percent + 99) / 100;
    return sorted.isEmpty() ? Duration.ZERO : sorted.get(Math.max(rank, 1) - 1);
  }
}
