package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.schedule.misfire.MisfireRule;
import io.jobscheduler.schedule.times.Preview;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What to look at beforehand.
 *
 * @param from where to begin, exclusive; null: now
 * @param count fires to show, 1 to {@link Preview#MOST_FIRES}
 */
record PreviewRequest(
    ScheduleRule rule, @Nullable Instant from, int count, @Nullable Outage outage) {
  private static final int DEFAULT_COUNT = 5;

  /**
   * A time during which nothing is fired.
   *
   * @param start null: {@code from}
   * @param misfire window and maxCatchUp to try each policy with
   */
  record Outage(@Nullable Instant start, Duration length, MisfireRule misfire) {
    static final Duration LONGEST = Duration.ofDays(365);
  }

  /** Reads a preview; null when, noted, it is none. */
  static @Nullable PreviewRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    RuleReader rule = new RuleReader(in);
    Instant from = null;
    int count = DEFAULT_COUNT;
    Outage outage = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (rule.take(field)) {
        continue;
      }
      switch (field) {
        case "from" -> from = Fields.instant(in);
        case "count" -> {
          Integer given = in.integer(1, Preview.MOST_FIRES);
          count = given == null ? count : given;
        }
        case "outage" -> outage = readOutage(in);
        default -> in.unknownField();
      }
    }
    ScheduleRule read = rule.finish();
    return read == null ? null : new PreviewRequest(read, from, count, outage);
  }

  private static @Nullable Outage readOutage(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Instant start = null;
    Duration length = null;
    MisfireRule misfire = MisfireRule.DEFAULT;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "start" -> start = Fields.instant(in);
        case "length" -> length = Fields.duration(in, Outage.LONGEST);
        case "maxCatchUp", "window" -> misfire = ScheduleRequestReader.take(in, field, misfire);
        default -> in.unknownField();
      }
    }
    in.violations().require(in.pointer() + "/length", length != null);
    return length == null ? null : new Outage(start, length, misfire);
  }
}
