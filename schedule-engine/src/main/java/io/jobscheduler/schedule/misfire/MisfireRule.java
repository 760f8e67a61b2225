package io.jobscheduler.schedule.misfire;

import java.time.Duration;

/**
 * How a schedule deals with planned times that were missed.
 *
 * @param policy which of them still run
 * @param catchUpWindow how long ago they may have been planned, 0 to 365 days
 * @param maxCatchUp how many of them run at most under {@link MisfirePolicy#FIRE_ALL}, 1 to {@link
 *     #MOST_CATCH_UP}
 */
public record MisfireRule(MisfirePolicy policy, Duration catchUpWindow, int maxCatchUp) {
  /** The longest window. */
  public static final Duration LONGEST_WINDOW = Duration.ofDays(365);

  /** The largest {@code maxCatchUp}. */
  public static final int MOST_CATCH_UP = 1000;

  /** One run for what was missed in the last 24 hours. */
  public static final MisfireRule DEFAULT =
      new MisfireRule(MisfirePolicy.FIRE_ONCE, Duration.ofHours(24), 100);

  /** Checks the bounds. */
  public MisfireRule {
    if (catchUpWindow.isNegative() || catchUpWindow.compareTo(LONGEST_WINDOW) > 0) {
      throw new IllegalArgumentException("catchUpWindow must be between PT0S and P365D");
    }
    if (maxCatchUp < 1 || maxCatchUp > MOST_CATCH_UP) {
      throw new IllegalArgumentException("maxCatchUp must be between 1 and " + MOST_CATCH_UP);
    }
  }
}
