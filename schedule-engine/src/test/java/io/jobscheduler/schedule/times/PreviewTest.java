package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronWarning;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PreviewTest {
  private static final Instant BEFORE_GAP = Instant.parse("2026-03-28T12:00:00Z");

  private static ScheduleTimes cron(String text, String zone) {
    return CronTimes.of(CronExpression.parse(text), ZoneId.of(zone));
  }

  @Test
  void flagsWhatDaylightSavingMoves() {
    Preview preview = Preview.of(cron("30 2 * * *", "Europe/Berlin"), BEFORE_GAP, 2);
    assertEquals(
        new PlannedFire(
            Instant.parse("2026-03-29T01:00:00Z"),
            OffsetDateTime.parse("2026-03-29T03:00:00+02:00"),
            PlannedFire.Flag.GAP_SHIFTED,
            Optional.of(LocalDateTime.parse("2026-03-29T02:30:00"))),
        preview.fires().get(0));
    assertEquals(PlannedFire.Flag.NONE, preview.fires().get(1).flag());
    assertEquals(
        List.of(ClockChange.Effect.MOVED, ClockChange.Effect.ONCE),
        preview.clockChanges().stream().map(ClockChange::effect).limit(2).toList());
    assertEquals(
        "02:30 does not exist on 2026-03-29 in Europe/Berlin: that day it runs at 03:00",
        preview.warnings().get(0).message());
    assertEquals(
        "02:30 comes twice on 2026-10-25 in Europe/Berlin: it runs the first time only",
        preview.warnings().get(1).message());
  }

  @Test
  void flagsTheFirstOfTwo() {
    Instant before = Instant.parse("2026-10-24T12:00:00Z");
    List<PlannedFire> fires =
        Preview.of(cron("0,30 2,3 * * *", "Europe/Berlin"), before, 3).fires();
    assertEquals(
        List.of(
            PlannedFire.Flag.OVERLAP_FIRST, PlannedFire.Flag.OVERLAP_FIRST, PlannedFire.Flag.NONE),
        fires.stream().map(PlannedFire::flag).toList());
    assertEquals(OffsetDateTime.parse("2026-10-25T02:00:00+02:00"), fires.get(0).local());
    assertEquals(
        Set.of(PlannedFire.Flag.NONE),
        new HashSet<>(
            Preview.of(cron("*/30 2 * * *", "Europe/Berlin"), before, 4).fires().stream()
                .map(PlannedFire::flag)
                .toList()));
  }

  @Test
  void doesNotFlagATimeThatExistsAtTheGapsEnd() {
    List<PlannedFire> fires =
        Preview.of(cron("30 2,3 * * *", "Europe/Berlin"), BEFORE_GAP, 2).fires();
    assertEquals(PlannedFire.Flag.GAP_SHIFTED, fires.get(0).flag());
    assertEquals(
        PlannedFire.Flag.NONE,
        Preview.of(cron("0 2,3 * * *", "Europe/Berlin"), BEFORE_GAP, 1).fires().get(0).flag());
  }

  @Test
  void namesOnlyClockChangesThatConcernTheSchedule() {
    assertEquals(
        List.of(), Preview.of(cron("0 9 * * *", "Europe/Berlin"), BEFORE_GAP, 1).clockChanges());
    assertEquals(
        List.of(), Preview.of(cron("*/5 * * * *", "Europe/Berlin"), BEFORE_GAP, 1).clockChanges());
    assertEquals(
        List.of(ClockChange.Effect.DROPPED, ClockChange.Effect.TWICE),
        Preview.of(cron("*/30 2 * * *", "Europe/Berlin"), BEFORE_GAP, 1).clockChanges().stream()
            .map(ClockChange::effect)
            .limit(2)
            .toList());
    assertFalse(
        Preview.of(cron("0 * * * *", "Australia/Lord_Howe"), BEFORE_GAP, 1)
            .clockChanges()
            .isEmpty(),
        "half an hour does move an hourly beat");
    assertEquals(
        List.of(),
        Preview.of(IntervalTimes.of(Duration.ofHours(1), BEFORE_GAP, ZoneOffset.UTC), BEFORE_GAP, 1)
            .clockChanges());
  }

  @Test
  void warnsOfBothDaysAndUnevenSteps() {
    assertEquals(
        List.of(CronWarning.Code.BOTH_DAYS),
        codes(Preview.of(cron("0 9 13 * 5", "UTC"), BEFORE_GAP, 1)));
    assertEquals(
        List.of(CronWarning.Code.UNEVEN_STEP),
        codes(Preview.of(cron("*/45 * * * *", "UTC"), BEFORE_GAP, 1)));
    assertEquals(List.of(), codes(Preview.of(cron("*/15 * 1 * *", "UTC"), BEFORE_GAP, 1)));
  }

  private static List<CronWarning.Code> codes(Preview preview) {
    return preview.warnings().stream().map(CronWarning::code).toList();
  }

  @Test
  void showsOneToAHundredFires() {
    ScheduleTimes times = cron("* * * * *", "UTC");
    assertEquals(100, Preview.of(times, BEFORE_GAP, 100).fires().size());
    for (int count : List.of(0, 101)) {
      assertThrows(IllegalArgumentException.class, () -> Preview.of(times, BEFORE_GAP, count));
    }
    assertEquals(List.of(), Preview.of(cron("0 0 0 1 1 ? 2020", "UTC"), BEFORE_GAP, 5).fires());
  }

  @Test
  void allowsJitterUpToHalfTheSmallestGap() {
    Preview uneven = Preview.of(cron("0,10 * * * *", "UTC"), BEFORE_GAP, 1);
    assertEquals(Optional.of(Duration.ofMinutes(10)), uneven.smallestGap());
    assertEquals(Duration.ofMinutes(5), uneven.longestJitter());
    assertEquals(
        Jitter.LONGEST, Preview.of(cron("0 0 * * *", "UTC"), BEFORE_GAP, 1).longestJitter());
    assertEquals(
        Jitter.LONGEST, Preview.of(cron("0 0 0 1 1 ? 2027", "UTC"), BEFORE_GAP, 1).longestJitter());
  }

  @Test
  void spreadsJitterEvenlyAndAlwaysTheSame() {
    Duration jitter = Duration.ofMillis(9);
    int[] hits = new int[10];
    for (long id = 0; id < 1000; id++) {
      for (int hour = 0; hour < 10; hour++) {
        Instant planned = BEFORE_GAP.plus(Duration.ofHours(hour));
        Duration delay = Jitter.of(id, planned, jitter);
        assertEquals(delay, Jitter.of(id, planned, jitter));
        hits[(int) delay.toMillis()]++;
      }
    }
    assertTrue(Arrays.stream(hits).allMatch(n -> n > 850 && n < 1150), Arrays.toString(hits));
    assertEquals(Duration.ZERO, Jitter.of(1, BEFORE_GAP, Duration.ZERO));
  }

  @Test
  void mapsFiresOfADayByMinute() {
    long[] map =
        HeatMap.of(
            List.of(
                cron("0 * * * *", "UTC"),
                cron("0 0 * * *", "UTC"),
                cron("*/20 * * * * ?", "UTC"),
                cron("0 0 1 1 *", "UTC")),
            BEFORE_GAP.plusSeconds(30));
    assertEquals(HeatMap.MINUTES, map.length);
    assertEquals(4, map[0]);
    assertEquals(3, map[1]);
    assertEquals(5, map[12 * 60]);
    assertEquals(24 + 1 + 3 * 1440, Arrays.stream(map).sum());
  }
}
