package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronKind;
import io.jobscheduler.schedule.cron.CronWarning;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * The set of instants at which a schedule is planned to fire. They are whole seconds from 1970 to
 * 2299.
 *
 * <p>Immutable and thread-safe. Every operation takes time bounded by the schedule's own text and
 * the years looked at (at most 101), never by how many fires lie between two instants.
 */
public sealed interface ScheduleTimes permits CronTimes, IntervalTimes, LimitedTimes {

  /** Returns how the times behave when clocks are set. */
  CronKind kind();

  /** Returns what the rule means in English. */
  String description();

  /** Returns what may surprise in the rule whatever the zone. */
  List<CronWarning> warnings();

  /** Returns the zone whose wall clock is shown, and whose dates may be excluded. */
  ZoneId zone();

  /**
   * Returns the first planned time strictly after {@code from}, or nothing if there is none within
   * 101 years.
   */
  Optional<Instant> next(Instant from);

  /** Returns how many planned times are after {@code after} and not after {@code until}. */
  long count(Instant after, Instant until);

  /** Returns what the wall clock shows at a planned time, and whether it was moved. */
  PlannedFire explain(Instant planned);

  /**
   * Returns when clocks are set in the given time and how that changes this schedule's fires. What
   * changes nothing is left out.
   */
  List<ClockChange> clockChanges(Instant after, Instant until);

  /** Returns the last planned time after {@code after} and not after {@code until}. */
  default Optional<Instant> latest(Instant after, Instant until) {
    long count = count(after, until);
    return count == 0 ? Optional.empty() : nth(after, until, count);
  }

  /**
   * Returns the {@code n}-th planned time after {@code after}, counted from 1, unless it is after
   * {@code until}. It is found by halving, some thirty counts.
   */
  default Optional<Instant> nth(Instant after, Instant until, long n) {
    if (n < 1 || count(after, until) < n) {
      return Optional.empty();
    }
    long low = Math.max(after.getEpochSecond(), ZoneSegments.BEGIN - 1);
    long high = Math.min(until.getEpochSecond(), ZoneSegments.END);
    while (low + 1 < high) { // count(low) < n <= count(high)
      long middle = (low + high) >>> 1;
      if (count(after, Instant.ofEpochSecond(middle)) < n) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Optional.of(Instant.ofEpochSecond(high));
  }

  /** Returns these times without those outside the limits. */
  default ScheduleTimes within(ScheduleLimits limits) {
    return limits.isEmpty() ? this : new LimitedTimes(this, limits);
  }
}
