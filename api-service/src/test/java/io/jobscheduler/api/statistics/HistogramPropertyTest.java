package io.jobscheduler.api.statistics;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistogramPropertyTest {
  /** As function histogram_bucket says. */
  private static int bucketOf(double millis) {
    return millis < 1 ? 0 : Math.min(63, 1 + (int) Math.floor(2 * Math.log(millis) / Math.log(2)));
  }

  @Test
  void percentilesAreTrueToWithinAFactorOfTheRootOfTwo() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      double[] millis = new double[1 + random.nextInt(500)];
      Histogram histogram = new Histogram();
      for (int i = 0; i < millis.length; i++) {
        // From 1 ms to some weeks, evenly over the orders of magnitude.
        millis[i] = Math.pow(10, random.nextDouble() * 9);
        Long[] stored = new Long[bucketOf(millis[i]) + 1];
        Arrays.fill(stored, 0L);
        stored[stored.length - 1] = 1L;
        histogram.add(stored);
      }
      Arrays.sort(millis);
      for (double share : new double[] {0.01, 0.5, 0.95, 0.99, 1}) {
        double exact = millis[(int) Math.ceil(share * millis.length) - 1] / 1_000;
        double found = histogram.seconds(share);
        // 0.1 ms is what rounding may add.
        assertTrue(
            found <= exact * Math.sqrt(2) + 1e-4 && found >= exact / Math.sqrt(2) - 1e-4,
            () -> share + " of " + millis.length + ": " + found + " for " + exact);
      }
    }
  }

  @Test
  void nothingCountedHasNoPercentiles() {
    Histogram histogram = new Histogram();
    histogram.add(new Long[] {0L, 0L});
    assertNull(histogram.percentiles());
  }
}
