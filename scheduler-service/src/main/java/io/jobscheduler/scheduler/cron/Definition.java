package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.misfire.MisfirePolicy;
import io.jobscheduler.schedule.misfire.MisfireRule;
import io.jobscheduler.schedule.times.ScheduleLimits;
import java.sql.Array;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was taken: when it plans, and where it stands.
 *
 * @param version of what people have set, against deciding about something else
 * @param plannedTo every planned time up to here is decided
 * @param now the database's clock when it was taken
 * @param paused it has just been paused for its failures and is not to be reckoned
 */
record Definition(
    int id,
    int projectId,
    String name,
    int version,
    Rule rule,
    @Nullable Instant startAt,
    @Nullable Instant endAt,
    Set<LocalDate> exclusions,
    Duration jitter,
    String misfirePolicy,
    int maxCatchUp,
    Duration catchUpWindow,
    Instant plannedTo,
    Instant now,
    boolean paused) {

  /** What says when it plans, as stored: {@code expression} or {@code everyMillis}, by the kind. */
  record Rule(
      String kind,
      @Nullable String expression,
      @Nullable String dialect,
      long everyMillis,
      @Nullable Instant anchor,
      String timeZone) {}

  /** Reads the columns that the {@code take_} functions return. */
  static Definition read(ResultSet row) throws SQLException {
    return new Definition(
        row.getInt("id"),
        row.getInt("project_id"),
        row.getString("name"),
        row.getInt("version"),
        new Rule(
            row.getString("kind"),
            row.getString("expression"),
            row.getString("dialect"),
            row.getLong("every_ms"),
            nullableInstant(row, "anchor"),
            row.getString("time_zone")),
        nullableInstant(row, "start_at"),
        nullableInstant(row, "end_at"),
        dates(row.getArray("exclusions")),
        Duration.ofMillis(row.getLong("jitter_ms")),
        row.getString("misfire_policy"),
        row.getInt("max_catch_up"),
        Duration.ofMillis(row.getLong("catch_up_window_ms")),
        instant(row, "planned_to"),
        instant(row, "now"),
        row.getBoolean("paused"));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static @Nullable Instant nullableInstant(ResultSet row, String column)
      throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  private static Set<LocalDate> dates(Array array) throws SQLException {
    Set<LocalDate> dates = new HashSet<>();
    Arrays.stream((Date[]) array.getArray()).map(Date::toLocalDate).forEach(dates::add);
    return dates;
  }

  ScheduleLimits limits() {
    return new ScheduleLimits(Optional.ofNullable(startAt), Optional.ofNullable(endAt), exclusions);
  }

  MisfireRule misfireRule() {
    return new MisfireRule(
        MisfirePolicy.valueOf(misfirePolicy.toUpperCase(Locale.ROOT)), catchUpWindow, maxCatchUp);
  }
}
