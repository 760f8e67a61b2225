package io.jobscheduler.worker;

import java.util.Random;
import java.util.function.Consumer;

/** Runs a property on random input whose seed is printed, and can be given again. */
public final class Seed {
  private static final String PROPERTY = "property.seed";

  private Seed() {}

  /** Checks the property {@code runs} times, each with the next seed. */
  public static void check(String name, int runs, Consumer<Random> property) {
    long first = Long.getLong(PROPERTY, System.nanoTime());
    System.out.printf("%s: %d runs from -D%s=%d%n", name, runs, PROPERTY, first);
    for (long seed = first; seed < first + runs; seed++) {
      try {
        property.accept(new Random(seed));
      } catch (RuntimeException | AssertionError failure) {
        throw new AssertionError(
            "fails again with -D" + PROPERTY + "=" + seed + ": " + failure.getMessage(), failure);
      }
    }
  }
}
