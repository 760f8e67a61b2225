package io.jobscheduler.schedule.times;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Optional;
import java.util.Set;

/**
 * When a schedule does not fire although its rule says so.
 *
 * @param startAt no planned time before this one
 * @param endAt no planned time at or after this one
 * @param excluded dates of the schedule's zone on which nothing is planned, at most {@link
 *     #MOST_EXCLUDED}; a fire that daylight saving moved counts for the date it runs on
 */
public record ScheduleLimits(
    Optional<Instant> startAt, Optional<Instant> endAt, Set<LocalDate> excluded) {
  /** The largest number of excluded dates. */
  public static final int MOST_EXCLUDED = 1000;

  /** No limits. */
  public static final ScheduleLimits NONE =
      new ScheduleLimits(Optional.empty(), Optional.empty(), Set.of());

  /**
   * Copies the dates.
   *
   * @throws IllegalArgumentException if there are too many, or if the end is not after the start
   */
  public ScheduleLimits {
    excluded = Set.copyOf(excluded);
    if (excluded.size() > MOST_EXCLUDED) {
      throw new IllegalArgumentException("more than " + MOST_EXCLUDED + " excluded dates");
    }
    if (startAt.isPresent() && endAt.isPresent() && !endAt.get().isAfter(startAt.get())) {
      throw new IllegalArgumentException("endAt must be after startAt");
    }
  }

  /** Returns whether nothing is limited. */
  public boolean isEmpty() {
    return startAt.isEmpty() && endAt.isEmpty() && excluded.isEmpty();
  }
}
