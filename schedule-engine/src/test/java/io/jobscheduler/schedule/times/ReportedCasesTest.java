package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.cron.CronErrorCode;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users of other schedulers have reported, tried with their own expressions. */
class ReportedCasesTest {
  private static CronTimes times(String cron, String zone) {
    return CronTimes.of(CronExpression.parse(cron), TimeZones.parse(zone));
  }

  private static List<String> fires(String cron, String zone, String from, int count) {
    CronTimes times = times(cron, zone);
    List<String> fires = new ArrayList<>();
    Optional<Instant> next = times.next(Instant.parse(from));
    while (next.isPresent() && fires.size() < count) {
      fires.add(next.get().toString().replace(":00Z", "Z"));
      next = times.next(next.get());
    }
    return fires;
  }

  private static CronSyntaxException refused(String cron) {
    return assertThrows(
        CronSyntaxException.class,
        () -> times(cron, "UTC").requireFires(Instant.parse("2026-03-01T00:00:00Z")),
        cron);
  }

  @Test
  void bothDaysMeanEitherAndTheyWarn() {
    String cron = "0 9 1-7 * 1";
    List<String> expected =
        Stream.of("03-16", "03-23", "03-30", "04-01", "04-02", "04-03", "04-04", "04-05")
            .map(date -> "2026-" + date + "T09:00Z")
            .toList();
    assertEquals(expected, fires(cron, "UTC", "2026-03-10T00:00:00Z", 8));
    assertEquals(
        expected,
        Preview.of(times(cron, "UTC"), Instant.parse("2026-03-10T00:00:00Z"), 8).fires().stream()
            .map(fire -> fire.plannedAt().toString().replace(":00Z", "Z"))
            .toList());
    assertTrue(times(cron, "UTC").warnings().toString().contains("BOTH_DAYS"));
  }

  @Test
  void whatCanNeverFireIsRefused() {
    for (int i = 0; i < 50; i++) {
      for (String cron :
          List.of("0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31 4 *", "0 0 0 1 1 ? 1980")) {
        assertEquals(CronErrorCode.NEVER_FIRES, refused(cron).code(), cron);
      }
    }
  }

  @Test
  void lastDayIsTheLastOfEachMonth() {
    assertEquals(
        Stream.of("01-31", "02-28", "03-31", "04-30", "05-31", "06-30")
            .map(date -> "2026-" + date + "T00:00Z")
            .toList(),
        fires("0 0 0 L * ?", "UTC", "2026-01-30T00:00:00Z", 6));
    assertEquals(
        List.of("2027-02-28T00:00Z", "2028-02-29T00:00Z", "2029-02-28T00:00Z"),
        fires("0 0 0 L 2 ?", "UTC", "2026-03-01T00:00:00Z", 3));
    assertEquals(
        List.of("2026-01-31T00:00Z", "2026-01-31T01:00Z"),
        fires("0 0 * L * ?", "UTC", "2026-01-30T23:00:00Z", 2));
    assertEquals(CronErrorCode.DIALECT, refused("0 0 L * *").code());
  }

  @Test
  void sundayIsZeroSevenAndItsName() {
    String from = "2026-03-02T00:00:00Z";
    List<String> sundays = List.of("2026-03-08T00:00Z", "2026-03-15T00:00Z");
    for (String day : List.of("0", "7", "SUN", "sun", "0,7")) {
      assertEquals(sundays, fires("0 0 * * " + day, "UTC", from, 2), day);
    }
    List<String> weekend = List.of("2026-03-07T00:00Z", "2026-03-08T00:00Z", "2026-03-14T00:00Z");
    for (String days : List.of("6-7", "sat-sun")) {
      assertEquals(weekend, fires("0 0 * * " + days, "UTC", from, 3), days);
    }
    assertEquals(
        List.of("2026-03-06T00:00Z", "2026-03-07T00:00Z", "2026-03-08T00:00Z", "2026-03-13T00:00Z"),
        fires("0 0 * * 5-7", "UTC", from, 4));
    for (String days : List.of("0-7", "1-7")) {
      assertEquals(7, fires("0 0 * * " + days, "UTC", from, 7).stream().distinct().count(), days);
      assertEquals("2026-03-09T00:00Z", fires("0 0 * * " + days, "UTC", from, 7).get(6), days);
    }
  }

  @Test
  void rangesGoOnPastTheEnd() {
    assertEquals(
        List.of(
            "2026-03-02T00:00Z",
            "2026-03-02T01:00Z",
            "2026-03-02T02:00Z",
            "2026-03-02T22:00Z",
            "2026-03-02T23:00Z"),
        fires("0 22-2 * * *", "UTC", "2026-03-01T23:30:00Z", 5));
    assertEquals(
        List.of("2026-03-02T00:00Z", "2026-03-06T00:00Z", "2026-03-07T00:00Z", "2026-03-08T00:00Z"),
        fires("0 0 * * FRI-MON", "UTC", "2026-03-01T00:00:00Z", 4));
    assertEquals(
        List.of("2026-03-01T00:00Z", "2026-03-01T00:02Z", "2026-03-01T00:58Z"),
        fires("58-2/2 * * * *", "UTC", "2026-02-28T23:58:00Z", 3));
    assertEquals(
        List.of("2026-11-01T00:00Z", "2026-12-01T00:00Z", "2027-01-01T00:00Z", "2027-02-01T00:00Z"),
        fires("0 0 1 NOV-FEB *", "UTC", "2026-03-02T00:00:00Z", 4));
  }

  @Test
  void listsMixRangesAndStepsAndErrorsNameTheField() {
    for (String cron :
        List.of("15,45 6-18/3 * * *", "1-30/2 * * * *", "  5   4 * * 1-5  ", "5 4 * JAN,jul mon")) {
      assertTrue(times(cron, "UTC").next(Instant.EPOCH).isPresent(), cron);
    }
    assertEquals(
        List.of("2026-03-01T01:00Z", "2026-03-01T02:00Z"),
        fires("0,0,0 * * * *", "UTC", "2026-03-01T00:00:00Z", 2));
    assertEquals("minute", refused("60 * * * *").field());
    assertEquals("hour", refused("* 24 * * *").field());
    assertEquals("day-of-month", refused("* * 0 * *").field());
    assertEquals("day-of-month", refused("* * 32 * *").field());
    assertEquals("month", refused("* * * 13 *").field());
    assertEquals("day-of-week", refused("* * * * 8").field());
    for (String minute : List.of("1,,2", "5-", "\uff11", "1e1", "-1")) {
      assertEquals("minute", refused(minute + " * * * *").field(), minute);
    }
    assertEquals(CronErrorCode.FIELD_COUNT, refused("* * * *").code());
    assertEquals(CronErrorCode.EMPTY, refused("").code());
    assertEquals(CronErrorCode.TOO_LONG, refused("1,".repeat(10_000) + "1 * * * *").code());
  }

  @Test
  void monthsWithoutTheDayAreLeftOut() {
    assertEquals(
        List.of("2026-05-31T08:00Z", "2026-07-31T08:00Z", "2026-08-31T08:00Z", "2026-10-31T08:00Z"),
        fires("0 8 31 * *", "UTC", "2026-04-10T00:00:00Z", 4));
    assertEquals(
        List.of("2028-02-29T12:00Z"), fires("0 * * * 1-5", "UTC", "2028-02-29T11:00:00Z", 1));
    assertEquals(
        List.of("2026-01-31T00:00Z"), fires("0 * * * *", "UTC", "2026-01-30T23:30:00Z", 1));
  }

  @Test
  void dialectFollowsFromTheFieldsAndNothingIsReadInAnother() {
    // Monday in five fields, Sunday in seven.
    assertEquals(
        List.of("2026-03-02T00:00Z"), fires("0 0 * * 1", "UTC", "2026-03-01T00:00:00Z", 1));
    assertEquals(
        List.of("2026-03-08T00:00Z"), fires("0 0 0 ? * 1 2026", "UTC", "2026-03-01T00:00:00Z", 1));
    assertEquals(CronErrorCode.QUESTION_MARK, refused("0 0 0 * * 1").code());
    assertEquals("day-of-month", refused("0 0 ? * *").field());
    assertEquals("minute", refused("H * * * *").field());
    assertEquals(CronErrorCode.ALIAS, refused("@reboot").code());
    assertEquals(CronErrorCode.ALIAS, refused("@every 5m").code());
    for (String alias :
        List.of("@hourly", "@DAILY", "@midnight", "@monthly", "@yearly", "@annually")) {
      assertTrue(times(alias, "UTC").next(Instant.EPOCH).isPresent(), alias);
    }
    // Sunday, midnight of the schedule's zone.
    assertEquals(
        List.of("2026-03-07T23:00Z"), fires("@weekly", "Europe/Berlin", "2026-03-02T00:00:00Z", 1));
  }

  @Test
  void timeInTheGapRunsOnceAtItsEnd() {
    assertEquals(
        List.of("2026-03-29T01:00Z", "2026-03-30T00:30Z"),
        fires("30 2 * * *", "Europe/Berlin", "2026-03-28T11:00:00Z", 2));
    assertEquals(
        List.of("2026-03-08T07:00Z", "2026-03-09T06:30Z"),
        fires("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2));
  }

  @Test
  void everyHalfHourIsEvenThroughTheOverlapAndTheGap() {
    for (String date : List.of("2026-10-25", "2026-03-29")) {
      assertEquals(
          Stream.of("T00:00Z", "T00:30Z", "T01:00Z", "T01:30Z", "T02:00Z")
              .map(time -> date + time)
              .toList(),
          fires(
              "*/30 * * * *",
              "Europe/Berlin",
              Instant.parse(date + "T00:00:00Z").minusSeconds(1).toString(),
              5));
    }
  }

  @Test
  void localHourStaysThroughTheChange() {
    assertEquals(
        List.of("2026-03-07T22:00Z", "2026-03-08T21:00Z", "2026-03-09T21:00Z"),
        fires("0 17 * * *", "America/New_York", "2026-03-07T12:00:00Z", 3));
  }

  @Test
  void zoneIsTheSchedulesNotTheProcesss() {
    TimeZone before = TimeZone.getDefault();
    try {
      for (String process : List.of("America/Sao_Paulo", "Asia/Kathmandu", "UTC")) {
        TimeZone.setDefault(TimeZone.getTimeZone(process));
        assertEquals(
            List.of("2026-07-01T08:00Z", "2026-07-02T08:00Z"),
            fires("0 9 * * *", "Europe/London", "2026-06-30T12:00:00Z", 2),
            process);
      }
    } finally {
      TimeZone.setDefault(before);
    }
    for (String zone : List.of("CET", "Europe/Nowhere", "europe/london", "")) {
      CronSyntaxException e =
          assertThrows(CronSyntaxException.class, () -> TimeZones.parse(zone), zone);
      assertEquals(CronErrorCode.ZONE, e.code());
    }
  }
}
