package io.jobscheduler.schedule.times;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * A planned time as a person reads it.
 *
 * @param plannedAt the instant
 * @param local what the wall clock of the schedule's zone shows then
 * @param flag whether daylight saving had a hand in it
 * @param skipped for a moved fire, the wall-clock time that the gap skipped
 */
public record PlannedFire(
    Instant plannedAt, OffsetDateTime local, Flag flag, Optional<LocalDateTime> skipped) {

  /** What daylight saving did to a fire. The names are part of the API. */
  public enum Flag {
    /** Nothing. */
    NONE,
    /** Its own time does not exist that day; it runs at the gap's end. */
    GAP_SHIFTED,
    /** Its time comes twice that day; it runs the first time only. */
    OVERLAP_FIRST
  }

  static PlannedFire plain(Instant planned, ZoneId zone) {
    return new PlannedFire(planned, local(planned, zone), Flag.NONE, Optional.empty());
  }

  static PlannedFire firstOfTwo(Instant planned, ZoneId zone) {
    return new PlannedFire(planned, local(planned, zone), Flag.OVERLAP_FIRST, Optional.empty());
  }

  static PlannedFire movedFrom(long skipped, Instant planned, ZoneId zone) {
    return new PlannedFire(
        planned,
        local(planned, zone),
        Flag.GAP_SHIFTED,
        Optional.of(LocalDateTime.ofEpochSecond(skipped, 0, ZoneOffset.UTC)));
  }

  private static OffsetDateTime local(Instant planned, ZoneId zone) {
    return planned.atZone(zone).toOffsetDateTime();
  }
}
