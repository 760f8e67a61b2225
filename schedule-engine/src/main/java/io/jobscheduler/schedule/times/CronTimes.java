package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronKind;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.cron.CronWarning;
import io.jobscheduler.schedule.cron.WallClock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * The planned times of a cron expression in a time zone.
 *
 * <p>An expression of kind interval fires whenever the wall clock shows a matching time. One of
 * kind fixed fires exactly once for each matching wall-clock time: in the first pass of an overlap,
 * and at the end of a gap that skipped it. Neither of these two holds for changes of more than
 * three hours, which are changes of the calendar.
 *
 * <p>The search goes from one change of the zone's offset to the next, and within a segment over
 * plain wall-clock time.
 */
public final class CronTimes implements ScheduleTimes {
  private static final int LONGEST_SHIFT = 3 * 3600;
  private static final long HORIZON = 101 * 31_556_952L;
  private static final long NONE = WallClock.NONE;

  private final CronExpression expression;
  private final ZoneId zone;
  private final WallClock clock;
  private final ZoneSegments segments;
  private final boolean fixed;

  private CronTimes(CronExpression expression, ZoneId zone) {
    this.expression = expression;
    this.zone = zone;
    this.clock = expression.wallClock();
    this.segments = ZoneSegments.of(zone);
    this.fixed = expression.kind() == CronKind.FIXED;
  }

  /** Returns the planned times of {@code expression} in {@code zone}. */
  public static CronTimes of(CronExpression expression, ZoneId zone) {
    return new CronTimes(expression, zone);
  }

  /**
   * Returns these times if any of them is after {@code now}.
   *
   * @throws CronSyntaxException with code NEVER_FIRES otherwise
   */
  public CronTimes requireFires(Instant now) {
    if (next(now).isEmpty()) {
      throw expression.neverFires(now.atZone(zone).getYear());
    }
    return this;
  }

  /** Returns the expression. */
  public CronExpression expression() {
    return expression;
  }

  @Override
  public CronKind kind() {
    return expression.kind();
  }

  @Override
  public String description() {
    return expression.description();
  }

  @Override
  public List<CronWarning> warnings() {
    return expression.warnings();
  }

  @Override
  public ZoneId zone() {
    return zone;
  }

  @Override
  public Optional<Instant> next(Instant from) {
    long start = Math.max(ZoneSegments.BEGIN, from.getEpochSecond() + 1);
    long limit = Math.min(ZoneSegments.END, start + HORIZON);
    if (start >= limit) {
      return Optional.empty();
    }
    for (int segment = segments.at(start); segment < segments.count(); segment++) {
      long lower = Math.max(start, segments.start(segment));
      if (lower >= limit) {
        break;
      }
      if (lower == segments.start(segment) && skipped(segment) != NONE) {
        return Optional.of(Instant.ofEpochSecond(lower));
      }
      int offset = segments.offset(segment);
      long upper = Math.min(limit, segments.end(segment));
      long found = clock.first(localStart(segment, lower), upper + offset);
      if (found != NONE) {
        return Optional.of(Instant.ofEpochSecond(found - offset));
      }
    }
    return Optional.empty();
  }

  @Override
  public long count(Instant after, Instant until) {
    long start = Math.max(ZoneSegments.BEGIN, after.getEpochSecond() + 1);
    long limit = Math.min(ZoneSegments.END, until.getEpochSecond() + 1);
    long count = 0;
    if (start >= limit) {
      return count;
    }
    for (int segment = segments.at(start); segment < segments.count(); segment++) {
      long lower = Math.max(start, segments.start(segment));
      if (lower >= limit) {
        break;
      }
      int offset = segments.offset(segment);
      long upper = Math.min(limit, segments.end(segment));
      count += clock.count(localStart(segment, lower), upper + offset);
      boolean atChange = lower == segments.start(segment);
      if (atChange && skipped(segment) != NONE && !clock.contains(lower + offset)) {
        count++;
      }
    }
    return count;
  }

  /** The wall-clock time from which a segment is searched: not in an overlap's second pass. */
  private long localStart(int segment, long second) {
    long local = second + segments.offset(segment);
    int change = segments.change(segment);
    return fixed && change < 0 && change >= -LONGEST_SHIFT
        ? Math.max(local, segments.start(segment) + segments.offset(segment - 1))
        : local;
  }

  /**
   * The first matching wall-clock time that a gap before this segment skipped, if it is made up.
   */
  private long skipped(int segment) {
    int change = segments.change(segment);
    if (!fixed || change <= 0 || change > LONGEST_SHIFT) {
      return NONE;
    }
    long start = segments.start(segment);
    return clock.first(start + segments.offset(segment - 1), start + segments.offset(segment));
  }

  @Override
  public PlannedFire explain(Instant planned) {
    long second = planned.getEpochSecond();
    int segment = segments.at(second);
    long local = second + segments.offset(segment);
    if (second == segments.start(segment) && skipped(segment) != NONE && !clock.contains(local)) {
      return PlannedFire.movedFrom(skipped(segment), planned, zone);
    }
    return isFirstOfTwo(segment, local)
        ? PlannedFire.firstOfTwo(planned, zone)
        : PlannedFire.plain(planned, zone);
  }

  private boolean isFirstOfTwo(int segment, long local) {
    if (!fixed || segment + 1 == segments.count()) {
      return false;
    }
    int change = segments.change(segment + 1);
    long repeatedFrom = segments.end(segment) + segments.offset(segment + 1);
    return change < 0 && change >= -LONGEST_SHIFT && local >= repeatedFrom;
  }

  @Override
  public List<ClockChange> clockChanges(Instant after, Instant until) {
    return ClockChanges.of(this, segments, after, until);
  }

  /** Whether a change of the clock by so many seconds is one whose skipped times are made up. */
  boolean makesUp(int change) {
    return fixed && Math.abs(change) <= LONGEST_SHIFT;
  }
}
