package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schedule.Seed;
import io.jobscheduler.schedule.cron.CronExpression;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LimitsAndIntervalsTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId ST_JOHNS = ZoneId.of("America/St_Johns");
  private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z");

  private static ScheduleTimes cron(String text, ZoneId zone) {
    return CronTimes.of(CronExpression.parse(text), zone);
  }

  private static ScheduleLimits excluding(String... dates) {
    Set<LocalDate> excluded = new HashSet<>();
    List.of(dates).forEach(date -> excluded.add(LocalDate.parse(date)));
    return new ScheduleLimits(Optional.empty(), Optional.empty(), excluded);
  }

  private static List<String> fires(ScheduleTimes times, Instant from, int count) {
    List<String> fires = new ArrayList<>();
    Optional<Instant> next = times.next(from);
    while (next.isPresent() && fires.size() < count) {
      fires.add(next.get().toString());
      next = times.next(next.get());
    }
    return fires;
  }

  @Test
  void startsInclusivelyAndEndsExclusively() {
    Instant start = Instant.parse("2026-01-02T06:00:00Z");
    Instant end = Instant.parse("2026-01-02T08:00:00Z");
    ScheduleTimes times =
        cron("0 * * * *", BERLIN)
            .within(new ScheduleLimits(Optional.of(start), Optional.of(end), Set.of()));
    assertEquals(
        List.of("2026-01-02T06:00:00Z", "2026-01-02T07:00:00Z"), fires(times, NEW_YEAR, 9));
    assertEquals(2, times.count(NEW_YEAR, Instant.MAX));
    assertEquals(1, times.count(start, end));
    assertEquals(0, times.count(end, Instant.MAX));
    ScheduleTimes later =
        cron("0 * * * *", BERLIN)
            .within(
                new ScheduleLimits(Optional.of(start.plusMillis(1)), Optional.of(end), Set.of()));
    assertEquals(List.of("2026-01-02T07:00:00Z"), fires(later, NEW_YEAR, 9));
  }

  @Test
  void leavesOutExcludedDatesOfTheZone() {
    ScheduleTimes times =
        cron("30 0 * * *", BERLIN).within(excluding("2026-01-02", "2026-01-03", "2026-01-05"));
    assertEquals(
        List.of("2026-01-03T23:30:00Z", "2026-01-05T23:30:00Z"), fires(times, NEW_YEAR, 2));
    assertEquals(1, times.count(NEW_YEAR, Instant.parse("2026-01-05T12:00:00Z")));
  }

  @Test
  void excludesBothPartsOfADateThatComesBack() {
    // At 00:01 on 7 November 2010 clocks went back to 23:01 of the 6th.
    ScheduleTimes times = cron("*/30 * * * *", ST_JOHNS).within(excluding("2010-11-06"));
    Instant from = Instant.parse("2010-11-06T01:00:00Z");
    assertEquals(
        List.of(
            "2010-11-06T01:30:00Z",
            "2010-11-06T02:00:00Z",
            "2010-11-07T02:30:00Z",
            "2010-11-07T03:30:00Z"),
        fires(times, from, 4));
    assertEquals(4, times.count(from, Instant.parse("2010-11-07T03:30:00Z")));
  }

  @Test
  void excludesAMovedFireByTheDateItRunsOn() {
    assertEquals(
        List.of("2026-03-30T00:30:00Z"),
        fires(
            cron("30 2 * * *", BERLIN).within(excluding("2026-03-29")),
            Instant.parse("2026-03-28T12:00:00Z"),
            1));
  }

  @Test
  void countsWithinLimitsAsItFires() {
    Random random = Seed.random("LimitsAndIntervalsTest");
    for (int i = 0; i < 200; i++) {
      Set<LocalDate> dates = new HashSet<>();
      for (int d = random.nextInt(40); d > 0; d--) {
        dates.add(LocalDate.of(2026, 3, 1).plusDays(random.nextInt(60)));
      }
      Instant start = NEW_YEAR.plusSeconds(random.nextInt(90 * 86_400));
      ScheduleTimes times =
          cron(random.nextInt(60) + " */" + (1 + random.nextInt(12)) + " * * *", BERLIN)
              .within(
                  new ScheduleLimits(
                      Optional.of(start), Optional.of(start.plus(Duration.ofDays(50))), dates));
      Instant from = start.plusSeconds(random.nextInt(40 * 86_400) - 10 * 86_400L);
      Instant until = from.plusSeconds(random.nextInt(30 * 86_400));
      long fires =
          fires(times, from, 10_000).stream().filter(f -> !Instant.parse(f).isAfter(until)).count();
      assertEquals(fires, times.count(from, until), times.description() + " " + from + " " + dates);
    }
  }

  @Test
  void looksAheadFor101Years() {
    ScheduleTimes times = cron("0 0 0 1 1 ? 2099", BERLIN);
    assertEquals(Optional.empty(), times.next(Instant.parse("1997-06-01T00:00:00Z")));
    assertEquals(
        Optional.of(Instant.parse("2098-12-31T23:00:00Z")),
        times.next(Instant.parse("1998-06-01T00:00:00Z")));
    assertEquals(Optional.empty(), times.next(Instant.MAX));
    assertEquals(
        List.of("1970-01-01T00:00:00Z"),
        fires(cron("0 0 1 * *", ZoneId.of("UTC")), Instant.MIN, 1));
  }

  @Test
  void refusesLimitsThatContradict() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new ScheduleLimits(Optional.of(NEW_YEAR), Optional.of(NEW_YEAR), Set.of()));
  }

  @Test
  void keepsToElapsedTimeThroughAClockChange() {
    ScheduleTimes times =
        IntervalTimes.of(Duration.ofHours(6), Instant.parse("2026-03-28T20:15:30.9Z"), BERLIN);
    assertEquals(
        List.of("2026-03-28T20:15:30Z", "2026-03-29T02:15:30Z", "2026-03-29T08:15:30Z"),
        fires(times, Instant.parse("2026-03-28T20:15:29Z"), 3));
    assertEquals(
        Optional.of(Instant.parse("2026-03-27T02:15:30Z")),
        times.next(Instant.parse("2026-03-26T20:15:30.5Z")));
    assertEquals(4, times.count(NEW_YEAR, NEW_YEAR.plus(Duration.ofDays(1))));
    assertEquals("every 6 hours", times.description());
  }

  @Test
  void takesIntervalsOfASecondToTenYears() {
    for (Duration wrong :
        List.of(
            Duration.ZERO,
            Duration.ofMillis(999),
            Duration.ofMillis(1500),
            Duration.ofSeconds(-1),
            Duration.ofDays(3651))) {
      assertThrows(IllegalArgumentException.class, () -> IntervalTimes.of(wrong, NEW_YEAR, BERLIN));
    }
    ScheduleTimes longest = IntervalTimes.of(IntervalTimes.LONGEST, NEW_YEAR, BERLIN);
    assertEquals(Optional.of(NEW_YEAR.plus(IntervalTimes.LONGEST)), longest.next(NEW_YEAR));
    assertEquals(Optional.empty(), longest.next(Instant.MAX));
    assertEquals(0, longest.count(Instant.MIN, Instant.EPOCH.minusSeconds(1)));
  }
}
