package io.jobscheduler.api.schedules;

import io.jobscheduler.schedule.cron.CronDialect;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.CronTimes;
import io.jobscheduler.schedule.times.IntervalTimes;
import io.jobscheduler.schedule.times.ScheduleLimits;
import io.jobscheduler.schedule.times.ScheduleTimes;
import io.jobscheduler.schedule.times.TimeZones;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule fires, as it was typed: either {@code cron} and {@code dialect}, or {@code every}
 * and {@code anchor}. Equal rules have the same times.
 *
 * @param exclusions dates of the time zone on which nothing is planned
 */
record ScheduleRule(
    @Nullable String cron,
    @Nullable CronDialect dialect,
    @Nullable Duration every,
    @Nullable Instant anchor,
    String timeZone,
    @Nullable Instant startAt,
    @Nullable Instant endAt,
    SortedSet<LocalDate> exclusions) {

  /**
   * Its planned times, limits included.
   *
   * @throws CronSyntaxException when it cannot be reckoned
   */
  ScheduleTimes times() {
    return unlimited()
        .within(
            new ScheduleLimits(
                Optional.ofNullable(startAt), Optional.ofNullable(endAt), exclusions));
  }

  /**
   * Its planned times after {@code now}, at least one of which there must be but for the limits.
   *
   * @throws CronSyntaxException with code NEVER_FIRES otherwise
   */
  ScheduleTimes times(Instant now) {
    if (unlimited() instanceof CronTimes cronTimes) {
      cronTimes.requireFires(now);
    }
    return times();
  }

  private ScheduleTimes unlimited() {
    ZoneId zone = TimeZones.parse(timeZone);
    return every == null
        ? CronTimes.of(
            CronExpression.parse(Objects.requireNonNull(cron), Objects.requireNonNull(dialect)),
            zone)
        : IntervalTimes.of(every, Objects.requireNonNull(anchor), zone);
  }
}
