package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.Seed;
import io.jobscheduler.schedule.cron.CronExpression;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A daily schedule runs once a day, wherever it is. */
class DailyPropertyTest {
  private static final Instant FROM = Instant.parse("2000-01-01T12:00:00Z");
  private static final Instant UNTIL = Instant.parse("2030-01-01T12:00:00Z");

  /** Dates that two islands skipped when they moved over the date line. */
  private static final LocalDate SKIPPED = LocalDate.of(2011, 12, 30);

  @Test
  void runsOnceOnEachDateInEveryZone() {
    Random random = Seed.random("DailyPropertyTest");
    Set<ZoneRules> seen = new HashSet<>();
    Set<String> withoutDate = new TreeSet<>();
    for (String id : new TreeSet<>(ZoneRulesProvider.getAvailableZoneIds())) {
      ZoneId zone = ZoneId.of(id);
      if (seen.add(zone.getRules())) {
        for (String time : List.of("0 0", "30 2", random.nextInt(60) + " " + random.nextInt(24))) {
          if (skipsDate(CronTimes.of(CronExpression.parse(time + " * * *"), zone), id)) {
            withoutDate.add(id);
          }
        }
      }
    }
    assertEquals(Set.of("Pacific/Apia", "Pacific/Fakaofo"), withoutDate);
  }

  private static boolean skipsDate(CronTimes times, String id) {
    boolean skips = false;
    Instant last = times.next(FROM).orElseThrow();
    LocalDate date = wanted(times, last);
    while (last.isBefore(UNTIL)) {
      Instant next = times.next(last).orElseThrow();
      LocalDate expected = date.plusDays(1);
      date = wanted(times, next);
      if (expected.equals(SKIPPED) && !date.equals(expected)) {
        skips = true;
        expected = SKIPPED.plusDays(1);
      }
      assertEquals(expected, date, () -> times.expression() + " in " + id);
      long hours = Duration.between(last, next).toHours();
      assertTrue(hours >= 20 && hours <= 28, () -> times.expression() + " in " + id);
      last = next;
    }
    return skips;
  }

  private static LocalDate wanted(CronTimes times, Instant fire) {
    PlannedFire planned = times.explain(fire);
    return planned.skipped().orElse(planned.local().toLocalDateTime()).toLocalDate();
  }
}
