package io.jobscheduler.schedule.misfire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.times.CronTimes;
import io.jobscheduler.schedule.times.IntervalTimes;
import io.jobscheduler.schedule.times.ScheduleLimits;
import io.jobscheduler.schedule.times.ScheduleTimes;
import io.jobscheduler.schedule.times.TimeZones;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MisfireTest {
  private static final Instant NOON = Instant.parse("2026-12-01T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final ScheduleTimes MINUTELY = cron("* * * * *");
  private static final ScheduleTimes HOURLY = cron("0 * * * *");

  private static ScheduleTimes cron(String text) {
    return CronTimes.of(CronExpression.parse(text), TimeZones.parse("UTC"));
  }

  private static MisfirePlan plan(
      ScheduleTimes times, Instant last, Instant now, MisfirePolicy policy) {
    return Misfire.plan(times, last, now, new MisfireRule(policy, DAY, 5));
  }

  private static Instant at(String time) {
    return Instant.parse("2026-12-01T" + time + "Z");
  }

  private static DueFire scheduled(String time, long missed) {
    return new DueFire(at(time), DueFire.Trigger.SCHEDULED, missed);
  }

  private static DueFire caughtUp(String time, long missed) {
    return new DueFire(at(time), DueFire.Trigger.CATCH_UP, missed);
  }

  private static Optional<MissedRange> missed(String from, String to, long count) {
    return Optional.of(new MissedRange(at(from), at(to), count));
  }

  @Test
  void doesNothingBeforeTheTimeHasCome() {
    for (MisfirePolicy policy : MisfirePolicy.values()) {
      MisfirePlan plan = plan(HOURLY, NOON, at("12:59:59.999"), policy);
      assertEquals(List.of(), plan.fires());
      assertEquals(Optional.empty(), plan.missed());
      assertEquals(NOON, plan.lastPlanned());
      assertEquals(Optional.of(at("13:00:00")), plan.next());
    }
  }

  @Test
  void runsWhatIsOnTimeUnderEveryPolicy() {
    for (MisfirePolicy policy : MisfirePolicy.values()) {
      for (String now : List.of("13:00:00", "13:01:00")) {
        MisfirePlan plan = plan(HOURLY, NOON, at(now), policy);
        assertEquals(List.of(scheduled("13:00:00", 0)), plan.fires(), now);
        assertEquals(Optional.empty(), plan.missed());
        assertEquals(at("13:00:00"), plan.lastPlanned());
        assertEquals(Optional.of(at("14:00:00")), plan.next());
      }
    }
  }

  @Test
  void runsEachOfSeveralThatAreOnTime() {
    MisfirePlan plan = plan(cron("*/20 * * * * ?"), NOON, at("12:01:00"), MisfirePolicy.SKIP);
    assertEquals(
        List.of(scheduled("12:00:20", 0), scheduled("12:00:40", 0), scheduled("12:01:00", 0)),
        plan.fires());
  }

  @Test
  void runsOnceForTheLatestOfThoseMissed() {
    MisfirePlan plan = plan(HOURLY, at("08:00:00"), at("12:30:00"), MisfirePolicy.FIRE_ONCE);
    assertEquals(List.of(caughtUp("12:00:00", 3)), plan.fires());
    assertEquals(missed("09:00:00", "11:00:00", 3), plan.missed());
    assertEquals(at("12:00:00"), plan.lastPlanned());
    assertEquals(Optional.of(at("13:00:00")), plan.next());
  }

  @Test
  void takesARunOnTimeAsTheOneRun() {
    MisfirePlan plan = plan(MINUTELY, NOON, at("12:30:20"), MisfirePolicy.FIRE_ONCE);
    assertEquals(List.of(scheduled("12:30:00", 29)), plan.fires());
    assertEquals(missed("12:01:00", "12:29:00", 29), plan.missed());
  }

  @Test
  void isMissedAMomentAfterTheGrace() {
    MisfirePlan plan = plan(HOURLY, NOON, at("13:01:00.001"), MisfirePolicy.FIRE_ONCE);
    assertEquals(List.of(caughtUp("13:00:00", 0)), plan.fires());
    assertEquals(Optional.empty(), plan.missed());
  }

  @Test
  void runsAllOldestFirst() {
    MisfirePlan plan = plan(HOURLY, at("08:00:00"), at("12:00:30"), MisfirePolicy.FIRE_ALL);
    assertEquals(
        List.of(
            caughtUp("09:00:00", 0),
            caughtUp("10:00:00", 0),
            caughtUp("11:00:00", 0),
            scheduled("12:00:00", 0)),
        plan.fires());
    assertEquals(Optional.empty(), plan.missed());
  }

  @Test
  void runsTheNewestUpToTheCapAndCountsTheOthers() {
    MisfirePlan plan = plan(MINUTELY, at("08:00:00"), at("12:30:00"), MisfirePolicy.FIRE_ALL);
    assertEquals(
        List.of(
            caughtUp("12:24:00", 263),
            caughtUp("12:25:00", 0),
            caughtUp("12:26:00", 0),
            caughtUp("12:27:00", 0),
            caughtUp("12:28:00", 0),
            scheduled("12:29:00", 0),
            scheduled("12:30:00", 0)),
        plan.fires());
    assertEquals(missed("08:01:00", "12:23:00", 263), plan.missed());
  }

  @Test
  void skipsWhatWasMissedAndRunsWhatIsOnTime() {
    MisfirePlan plan = plan(HOURLY, at("08:00:00"), at("12:30:00"), MisfirePolicy.SKIP);
    assertEquals(List.of(), plan.fires());
    assertEquals(missed("09:00:00", "12:00:00", 4), plan.missed());
    assertEquals(at("12:00:00"), plan.lastPlanned());
    assertEquals(Optional.of(at("13:00:00")), plan.next());
    assertEquals(
        List.of(scheduled("12:00:00", 3)),
        plan(HOURLY, at("08:00:00"), at("12:00:01"), MisfirePolicy.SKIP).fires());
  }

  @Test
  void runsNothingThatWasPlannedBeforeTheWindow() {
    MisfireRule threeHours = new MisfireRule(MisfirePolicy.FIRE_ALL, Duration.ofHours(3), 5);
    MisfirePlan all = Misfire.plan(HOURLY, at("06:00:00"), at("12:00:00"), threeHours);
    assertEquals(
        List.of(
            caughtUp("09:00:00", 2),
            caughtUp("10:00:00", 0),
            caughtUp("11:00:00", 0),
            scheduled("12:00:00", 0)),
        all.fires());
    assertEquals(missed("07:00:00", "08:00:00", 2), all.missed());
    MisfireRule minutes = new MisfireRule(MisfirePolicy.FIRE_ONCE, Duration.ofMinutes(10), 5);
    MisfirePlan once = Misfire.plan(HOURLY, at("06:00:00"), at("12:30:00"), minutes);
    assertEquals(List.of(), once.fires());
    assertEquals(missed("07:00:00", "12:00:00", 6), once.missed());
    MisfireRule none = new MisfireRule(MisfirePolicy.FIRE_ALL, Duration.ZERO, 5);
    assertEquals(
        List.of(scheduled("12:00:00", 5)),
        Misfire.plan(HOURLY, at("06:00:00"), at("12:00:00"), none).fires());
  }

  @Test
  void countsAYearOfSecondsWithoutWalkingThem() {
    ScheduleTimes secondly = IntervalTimes.of(Duration.ofSeconds(1), NOON, ZoneOffset.UTC);
    MisfirePlan plan =
        plan(secondly, NOON.minus(Duration.ofDays(365)), NOON, MisfirePolicy.FIRE_ONCE);
    assertEquals(61, plan.fires().size());
    assertEquals(365L * 86_400 - 61, plan.missed().orElseThrow().count());
  }

  @Test
  void endsWithTheSchedule() {
    ScheduleTimes ending =
        HOURLY.within(new ScheduleLimits(Optional.empty(), Optional.of(at("11:00:00")), Set.of()));
    MisfirePlan plan = plan(ending, at("08:00:00"), at("12:30:00"), MisfirePolicy.FIRE_ONCE);
    assertEquals(List.of(caughtUp("10:00:00", 1)), plan.fires());
    assertEquals(Optional.empty(), plan.next());
  }

  @Test
  void accountsForEveryPlannedTimeOnceWhereverItStops() {
    for (MisfirePolicy policy : MisfirePolicy.values()) {
      Instant last = at("00:00:00");
      long accounted = 0;
      for (int seconds : List.of(1, 59, 60, 61, 200, 3000, 7, 0, 90, 121, 20_000)) {
        Instant now = last.plusSeconds(seconds);
        MisfirePlan plan = plan(MINUTELY, last, now, policy);
        accounted += plan.fires().size() + plan.missed().map(MissedRange::count).orElse(0L);
        last = plan.lastPlanned();
        assertEquals(MINUTELY.count(at("00:00:00"), now), accounted, policy + " at " + now);
        assertTrue(plan.next().orElseThrow().isAfter(now));
      }
    }
  }

  @Test
  void refusesRulesOutOfBounds() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new MisfireRule(MisfirePolicy.SKIP, Duration.ofDays(366), 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new MisfireRule(MisfirePolicy.SKIP, Duration.ofSeconds(-1), 1));
    for (int max : List.of(0, 1001)) {
      assertThrows(
          IllegalArgumentException.class, () -> new MisfireRule(MisfirePolicy.FIRE_ALL, DAY, max));
    }
  }
}
