package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.WallClock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Finds the changes of the clock that concern a cron schedule. */
final class ClockChanges {
  private static final int HOUR = 3600;

  private ClockChanges() {}

  static List<ClockChange> of(
      CronTimes times, ZoneSegments segments, Instant after, Instant until) {
    List<ClockChange> changes = new ArrayList<>();
    int last = segments.at(until.getEpochSecond());
    for (int i = segments.at(after.getEpochSecond()) + 1; i <= last; i++) {
      long at = segments.start(i);
      long before = at + segments.offset(i - 1);
      long now = at + segments.offset(i);
      int change = segments.change(i);
      WallClock clock = times.expression().wallClock();
      long from = Math.min(before, now);
      long to = Math.max(before, now);
      long count = clock.count(from, to);
      if (count > 0 && !keepsBeat(times, change)) {
        changes.add(
            new ClockChange(
                Instant.ofEpochSecond(at),
                local(before),
                local(now),
                local(clock.first(from, to)),
                count,
                effect(times.makesUp(change), change > 0)));
      }
    }
    return changes;
  }

  /** A beat in every hour goes on evenly if clocks are set by whole hours. */
  private static boolean keepsBeat(CronTimes times, int change) {
    return !times.makesUp(change) && times.expression().everyHour() && change % HOUR == 0;
  }

  private static ClockChange.Effect effect(boolean madeUp, boolean gap) {
    if (gap) {
      return madeUp ? ClockChange.Effect.MOVED : ClockChange.Effect.DROPPED;
    }
    return madeUp ? ClockChange.Effect.ONCE : ClockChange.Effect.TWICE;
  }

  private static LocalDateTime local(long second) {
    return LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
  }
}
