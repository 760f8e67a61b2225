package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronKind;
import io.jobscheduler.schedule.cron.CronWarning;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a schedule will do, as far as its rule says.
 *
 * @param kind how it behaves when clocks are set
 * @param description its rule in English
 * @param warnings what may surprise in it, daylight saving in the coming year included
 * @param fires the next fires
 * @param clockChanges the changes of the clock in the coming year that concern it
 * @param smallestGap the smallest distance between the next hundred fires, if there are two
 * @param longestJitter the longest jitter it may have
 */
public record Preview(
    CronKind kind,
    String description,
    List<CronWarning> warnings,
    List<PlannedFire> fires,
    List<ClockChange> clockChanges,
    Optional<Duration> smallestGap,
    Duration longestJitter) {
  /** The most fires in one preview. */
  public static final int MOST_FIRES = 100;

  private static final long YEAR_IN_DAYS = 366;

  /**
   * Looks ahead from {@code from}, exclusive.
   *
   * @param count how many fires to show, 1 to {@link #MOST_FIRES}
   */
  public static Preview of(ScheduleTimes times, Instant from, int count) {
    if (count < 1 || count > MOST_FIRES) {
      throw new IllegalArgumentException("count must be between 1 and " + MOST_FIRES);
    }
    List<PlannedFire> fires = new ArrayList<>(count);
    Optional<Instant> next = times.next(from);
    while (next.isPresent() && fires.size() < count) {
      fires.add(times.explain(next.get()));
      next = times.next(next.get());
    }
    List<ClockChange> changes = times.clockChanges(from, from.plus(YEAR_IN_DAYS, ChronoUnit.DAYS));
    return new Preview(
        times.kind(),
        times.description(),
        warnings(times, changes),
        List.copyOf(fires),
        changes,
        Jitter.smallestGap(times, from),
        Jitter.longest(times, from));
  }

  private static List<CronWarning> warnings(ScheduleTimes times, List<ClockChange> changes) {
    List<CronWarning> warnings = new ArrayList<>(times.warnings());
    for (ClockChange change : changes) {
      warnings.add(new CronWarning(CronWarning.Code.DST, change.sentence(times.zone())));
    }
    return List.copyOf(warnings);
  }
}
