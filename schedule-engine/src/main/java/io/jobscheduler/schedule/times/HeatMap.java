package io.jobscheduler.schedule.times;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Optional;

/** How many fires fall into each minute of a day, over many schedules. */
public final class HeatMap {
  /** Minutes looked at. */
  public static final int MINUTES = 24 * 60;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private HeatMap() {}

  /**
   * Returns the fires in each of the {@link #MINUTES} minutes from {@code from} on, which is cut to
   * the minute. Costs up to 1440 steps for each schedule: about a millisecond for one that fires
   * every minute, a microsecond for a daily one.
   */
  public static long[] of(Collection<? extends ScheduleTimes> schedules, Instant from) {
    Instant start = from.truncatedTo(ChronoUnit.MINUTES);
    long[] fires = new long[MINUTES];
    for (ScheduleTimes times : schedules) {
      Optional<Instant> next = times.next(start.minusNanos(1));
      while (next.isPresent()) {
        long minute = start.until(next.get(), ChronoUnit.MINUTES);
        if (minute >= MINUTES) {
          break;
        }
        Instant last = start.plus(MINUTE.multipliedBy(minute + 1)).minusNanos(1);
        fires[(int) minute] += times.count(next.get(), last) + 1;
        next = times.next(last);
      }
    }
    return fires;
  }
}
