package io.jobscheduler.api.statistics;

import org.jspecify.annotations.Nullable;

/**
 * A sum of stored histograms: bucket 0 holds what took below 1 ms, bucket i up to 2^(i/2) ms, the
 * last one whatever took longer. Not thread-safe.
 */
final class Histogram {
  /** Buckets that the database knows (function histogram_bucket). */
  static final int BUCKETS = 64;

  private final long[] counts = new long[BUCKETS];
  private long total;

  /** Adds a stored histogram, whose trailing zeros may be missing. */
  void add(Long[] stored) {
    for (int bucket = 0; bucket < Math.min(stored.length, BUCKETS); bucket++) {
      counts[bucket] += stored[bucket];
      total += stored[bucket];
    }
  }

  /** The percentiles; null when nothing was counted. */
  @Nullable Percentiles percentiles() {
    return total == 0 ? null : new Percentiles(seconds(0.50), seconds(0.95), seconds(0.99));
  }

  /**
   * The value that a share of all does not exceed, in seconds: true to within a factor of √2, since
   * it is interpolated inside its bucket.
   *
   * @param share above 0, at most 1
   */
  double seconds(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * total));
    long below = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      if (below + counts[bucket] >= rank) {
        double inside = (double) (rank - below) / counts[bucket];
        return rounded(bucket == 0 ? inside / 1_000 : Math.pow(2, (bucket - 1 + inside) / 2) / 1e3);
      }
      below += counts[bucket];
    }
    return 0;
  }

  /** To a tenth of a millisecond: the digits beyond are made up. */
  private static double rounded(double seconds) {
    return Math.round(seconds * 10_000) / 10_000.0;
  }
}
