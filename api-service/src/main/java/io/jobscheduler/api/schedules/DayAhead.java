package io.jobscheduler.api.schedules;

import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.HeatMap;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Fires per minute of the coming day, over the active schedules of a project.
 *
 * @param from the minute of the first number, UTC
 * @param minutes 1,440 numbers
 * @param fires their sum
 * @param schedules how many schedules are in them
 * @param partial whether there are schedules that are not
 */
@Schema(name = "ScheduleHeatMap")
public record DayAhead(Instant from, long[] minutes, long fires, int schedules, boolean partial) {
  /** Schedules read. */
  static final int MOST_SCHEDULES = 10_000;

  /** Different rules reckoned, up to a millisecond each. */
  static final int MOST_RULES = 1_000;

  /** Reckons each rule once, however many schedules share it. */
  static DayAhead of(HeatMapStore.Rules rules) {
    boolean partial = rules.found().size() > MOST_SCHEDULES;
    Map<ScheduleRule, Long> shared = new HashMap<>();
    int schedules = 0;
    for (ScheduleRule rule :
        rules.found().subList(0, Math.min(rules.found().size(), MOST_SCHEDULES))) {
      if (shared.containsKey(rule) || shared.size() < MOST_RULES) {
        shared.merge(rule, 1L, Long::sum);
        schedules++;
      } else {
        partial = true;
      }
    }
    long[] minutes = new long[HeatMap.MINUTES];
    shared.forEach((rule, times) -> add(minutes, rule, times, rules.now()));
    return new DayAhead(
        rules.now().truncatedTo(ChronoUnit.MINUTES),
        minutes,
        Arrays.stream(minutes).sum(),
        schedules,
        partial);
  }

  private static void add(long[] minutes, ScheduleRule rule, long schedules, Instant now) {
    long[] fires;
    try {
      fires = HeatMap.of(List.of(rule.times()), now);
    } catch (CronSyntaxException e) {
      // The leader will disable it: it fires nothing.
      return;
    }
    for (int i = 0; i < minutes.length; i++) {
      minutes[i] += fires[i] * schedules;
    }
  }
}
