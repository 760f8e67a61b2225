package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.cron.CronDialect;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.times.CronTimes;
import io.jobscheduler.schedule.times.IntervalTimes;
import io.jobscheduler.schedule.times.ScheduleTimes;
import io.jobscheduler.schedule.times.TimeZones;
import io.jobscheduler.scheduler.cron.Definition.Rule;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The planned times of rules, parsed once for all schedules that share one. One thread. */
final class Rules {
  /** Some 10 MB at most: an expression in a zone with long history takes a few hundred bytes. */
  private static final int MOST_KEPT = 10_000;

  private final Map<Rule, ScheduleTimes> parsed =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Rule, ScheduleTimes> eldest) {
          return size() > MOST_KEPT;
        }
      };

  /**
   * The planned times of a schedule.
   *
   * @throws RuntimeException of whatever kind, when what is stored cannot be understood
   */
  ScheduleTimes times(Definition schedule) {
    Rule rule = schedule.rule();
    ScheduleTimes times = parsed.get(rule);
    if (times == null) {
      times = parse(rule);
      parsed.put(rule, times);
    }
    return times.within(schedule.limits());
  }

  private static ScheduleTimes parse(Rule rule) {
    ZoneId zone = TimeZones.parse(rule.timeZone());
    if (rule.kind().equals("interval")) {
      return IntervalTimes.of(
          Duration.ofMillis(rule.everyMillis()), Objects.requireNonNull(rule.anchor()), zone);
    }
    CronDialect dialect =
        CronDialect.valueOf(Objects.requireNonNull(rule.dialect()).toUpperCase(Locale.ROOT));
    return CronTimes.of(
        CronExpression.parse(Objects.requireNonNull(rule.expression()), dialect), zone);
  }
}
