package io.jobscheduler.api.schedules;

import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.schedule.cron.CronDialect;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads rows of schedules. */
final class Columns {
  private Columns() {}

  static ScheduleRule rule(ResultSet row) throws SQLException {
    String dialect = row.getString("dialect");
    return new ScheduleRule(
        row.getString("expression"),
        dialect == null ? null : Words.in(CronDialect.class, dialect),
        millis(row, "every_ms"),
        instant(row, "anchor"),
        row.getString("time_zone"),
        instant(row, "start_at"),
        instant(row, "end_at"),
        new TreeSet<>(dates(row.getArray("exclusions"))));
  }

  private static List<LocalDate> dates(Array texts) throws SQLException {
    return Arrays.stream((String[]) texts.getArray()).map(LocalDate::parse).toList();
  }

  static ScheduleSummary summary(ResultSet row) throws SQLException {
    ScheduleRule rule = rule(row);
    Instant pausedAt = instant(row, "paused_at");
    return new ScheduleSummary(
        row.getString("id"),
        row.getString("name"),
        row.getString("description"),
        required(row, "created_at"),
        required(row, "updated_at"),
        rule.cron(),
        row.getString("dialect"),
        rule.every(),
        rule.anchor(),
        inWords(rule),
        rule.timeZone(),
        rule.startAt(),
        rule.endAt(),
        List.copyOf(rule.exclusions()),
        Duration.ofMillis(row.getLong("jitter_ms")),
        row.getObject("max_runs", Integer.class),
        new MisfireOptions(
            row.getString("misfire_policy"),
            row.getInt("max_catch_up"),
            Duration.ofMillis(row.getLong("catch_up_window_ms"))),
        new Overlap(row.getString("overlap_policy"), row.getInt("queue_bound")),
        row.getObject("auto_pause_after", Integer.class),
        row.getString("state"),
        pausedAt == null
            ? null
            : new ScheduleSummary.Pause(
                pausedAt,
                row.getString("paused_by"),
                row.getString("pause_reason"),
                instant(row, "paused_until")),
        row.getString("disabled_reason"),
        instant(row, "next_fire_at"),
        instant(row, "last_planned_at"),
        row.getString("tzdb_version"),
        row.getInt("run_count"),
        row.getInt("queued"),
        row.getInt("consecutive_failures"),
        row.getString("template"),
        row.getString("job_type"),
        row.getString("queue"));
  }

  /** Of a schedule that cannot be reckoned nothing can be said. */
  private static @Nullable String inWords(ScheduleRule rule) {
    try {
      return rule.times().description();
    } catch (CronSyntaxException e) {
      return null;
    }
  }

  static ScheduleRow row(ResultSet row, Map<Integer, String> queues) throws SQLException {
    String workflow = row.getString("workflow");
    return new ScheduleRow(
        row.getInt("id"),
        row.getInt("version"),
        rule(row),
        required(row, "planned_to"),
        instant(row, "next_fire_at"),
        required(row, "now"),
        new Schedule(
            summary(row),
            row.getString("template").equals("job") ? job(row) : null,
            workflow == null ? null : WorkflowJson.read(workflow, queues),
            List.of()));
  }

  private static JobTemplate job(ResultSet row) throws SQLException {
    String retry = row.getString("retry_policy");
    Integer attempts = row.getObject("max_attempts", Integer.class);
    Array tags = row.getArray("tags");
    return new JobTemplate(
        row.getString("job_type"),
        row.getString("queue"),
        row.getString("payload"),
        row.getInt("priority"),
        attempts == null ? WorkflowJson.DEFAULT_ATTEMPTS : attempts,
        retry == null ? null : RetryPolicy.ofStored(retry),
        millis(row, "timeout_ms"),
        millis(row, "start_within_ms"),
        row.getInt("cost"),
        row.getString("concurrency_key"),
        tags == null ? List.of() : List.of((String[]) tags.getArray()),
        row.getString("metadata"));
  }

  private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
    Long millis = row.getObject(column, Long.class);
    return millis == null ? null : Duration.ofMillis(millis);
  }

  static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }

  static Instant required(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }
}
