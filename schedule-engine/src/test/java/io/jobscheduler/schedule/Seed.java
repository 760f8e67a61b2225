package io.jobscheduler.schedule;

import java.util.Random;

/** The source of random input; its seed is printed, and can be given again. */
public final class Seed {
  private Seed() {}

  /** Returns a source for the named test. */
  public static Random random(String test) {
    long seed = Long.getLong("property.seed", System.nanoTime());
    System.out.println(test + ": -Dproperty.seed=" + seed);
    return new Random(seed);
  }
}
