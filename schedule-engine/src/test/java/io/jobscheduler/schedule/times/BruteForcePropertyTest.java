package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.RandomCron;
import io.jobscheduler.schedule.Seed;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronKind;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The engine against a program that looks at every minute around a change of the clock. */
class BruteForcePropertyTest {
  private static final int WINDOWS = 210;
  private static final int EACH = 100;
  private static final int MINUTES = 2 * 24 * 60;
  private static final Duration LONGEST_SHIFT = Duration.ofHours(3);
  private static final List<String> ZONES =
      ZoneRulesProvider.getAvailableZoneIds().stream().sorted().toList();

  @Test
  void firesAsTheMinuteWalkerSays() {
    Random random = Seed.random("BruteForcePropertyTest");
    int compared = 0;
    int fires = 0;
    while (compared < WINDOWS * EACH) {
      ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
      Window window = new Window(zone, aroundChange(zone, random));
      for (int i = 0; i < EACH; i++, compared++) {
        fires += window.compare(new RandomCron(random, random.nextInt(3) == 0), random);
      }
    }
    assertTrue(fires > compared, "windows in which nothing fires prove nothing");
  }

  private static Instant aroundChange(ZoneId zone, Random random) {
    Instant some = Instant.parse("1975-01-01T00:00:00Z").plusSeconds(random.nextInt(2_000_000_000));
    ZoneOffsetTransition change = zone.getRules().nextTransition(some);
    Instant at = change == null || random.nextInt(10) == 0 ? some : change.getInstant();
    long before = random.nextInt(MINUTES);
    return Instant.ofEpochSecond(Math.floorDiv(at.getEpochSecond(), 60) * 60 - before * 60);
  }

  /** All minutes of three days, with what the wall clock shows and does. */
  private static final class Window {
    private final ZoneId zone;
    private final Instant start;
    private final LocalDateTime[] local = new LocalDateTime[MINUTES];
    private final long[] minutes = new long[MINUTES];
    private final int[] minuteOfDay = new int[MINUTES];
    private final boolean[] secondPass = new boolean[MINUTES];
    private final List<List<LocalDateTime>> skipped = new ArrayList<>();

    Window(ZoneId zone, Instant start) {
      this.zone = zone;
      this.start = start;
      ZoneRules rules = zone.getRules();
      for (int i = 0; i < MINUTES; i++) {
        Instant at = minute(i);
        minutes[i] = at.getEpochSecond();
        ZoneOffset offset = rules.getOffset(at);
        local[i] = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, offset);
        minuteOfDay[i] = local[i].toLocalTime().toSecondOfDay() / 60;
        ZoneOffsetTransition overlap = rules.getTransition(local[i]);
        secondPass[i] =
            overlap != null
                && overlap.isOverlap()
                && offset.equals(overlap.getOffsetAfter())
                && overlap.getDuration().negated().compareTo(LONGEST_SHIFT) <= 0;
        boolean changed = i == 0 || !rules.getOffset(minute(i - 1)).equals(offset);
        skipped.add(changed ? skippedBefore(rules, at) : List.of());
      }
    }

    private static List<LocalDateTime> skippedBefore(ZoneRules rules, Instant at) {
      ZoneOffsetTransition change = rules.nextTransition(at.minusNanos(1));
      List<LocalDateTime> skipped = new ArrayList<>();
      boolean gap = change != null && change.getInstant().equals(at) && change.isGap();
      if (gap && change.getDuration().compareTo(LONGEST_SHIFT) <= 0) {
        LocalDateTime time = change.getDateTimeBefore();
        while (time.isBefore(change.getDateTimeAfter())) {
          skipped.add(time);
          time = time.plusMinutes(1);
        }
      }
      return skipped;
    }

    private Instant minute(int i) {
      return start.plusSeconds(60L * i);
    }

    int compare(RandomCron cron, Random random) {
      long[] expected = fires(cron);
      CronExpression expression = CronExpression.parse(cron.text());
      String what = cron.text() + " in " + zone + " from ";
      assertEquals(cron.beats(), expression.kind() == CronKind.INTERVAL, what + start);
      CronTimes times = CronTimes.of(expression, zone);
      Instant end = minute(MINUTES).minusSeconds(1);
      for (int i = 0; i < 5; i++) {
        Instant from = start.plusSeconds(i == 0 ? -1 : random.nextInt(60 * MINUTES));
        int found = Arrays.binarySearch(expected, from.getEpochSecond());
        int higher = found < 0 ? -found - 1 : found + 1;
        Optional<Instant> next = times.next(from);
        assertEquals(
            higher == expected.length
                ? Optional.empty()
                : Optional.of(Instant.ofEpochSecond(expected[higher])),
            next.filter(fire -> !fire.isAfter(end)),
            what + from);
        assertEquals(expected.length - higher, times.count(from, end), what + from);
        assertTrue(next.isEmpty() || next.get().isAfter(from), what + from);
        assertEquals(next, next.flatMap(fire -> times.next(fire.minusSeconds(1))), what + from);
      }
      return expected.length;
    }

    private long[] fires(RandomCron cron) {
      LongStream.Builder fires = LongStream.builder();
      Map<LocalDate, Boolean> days = new HashMap<>();
      for (int i = 0; i < MINUTES; i++) {
        long at = minutes[i];
        if (cron.matches(minuteOfDay[i])
            && (cron.beats() || !secondPass[i])
            && days.computeIfAbsent(local[i].toLocalDate(), cron::matches)) {
          cron.seconds().forEach(second -> fires.add(at + second));
        }
        for (LocalDateTime time : cron.beats() ? List.<LocalDateTime>of() : skipped.get(i)) {
          if (matches(cron, time)) {
            fires.add(at);
          }
        }
      }
      return fires.build().sorted().distinct().toArray();
    }

    private static boolean matches(RandomCron cron, LocalDateTime time) {
      return cron.matches(time.toLocalTime().toSecondOfDay() / 60)
          && cron.matches(time.toLocalDate());
    }
  }
}
