package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schedule.misfire.DueFire;
import io.jobscheduler.schedule.misfire.Misfire;
import io.jobscheduler.schedule.misfire.MisfirePlan;
import io.jobscheduler.schedule.misfire.MissedRange;
import io.jobscheduler.schedule.times.Jitter;
import io.jobscheduler.schedule.times.ScheduleTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written about a schedule: the planned times that have come, and where it goes on.
 *
 * @param plannedTo up to where its times are decided thereby
 * @param next its next planned time; null: none ever
 * @param fires oldest first
 */
record Decision(
    int scheduleId,
    Instant plannedTo,
    @Nullable Instant next,
    List<Fire> fires,
    Optional<Missed> missed) {

  /** With seconds and offset, as {@code 2026-03-29T03:00:00+02:00}. */
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX", Locale.ROOT);

  /**
   * A planned time whose run is made, unless overlap speaks against it.
   *
   * @param local the same on the schedule's wall clock
   * @param runAt not before; null: now
   * @param missedCount planned times that it stands for besides its own
   */
  record Fire(
      Instant plannedAt, String local, String trigger, @Nullable Instant runAt, int missedCount) {}

  /** Planned times that are not run. */
  record Missed(Instant from, Instant to, int count, String reason) {}

  /** Decides the times of a schedule that have come. Costs what the fires cost. */
  static Decision about(Definition schedule, ScheduleTimes times) {
    MisfirePlan plan =
        Misfire.plan(times, schedule.plannedTo(), schedule.now(), schedule.misfireRule());
    List<Fire> fires = new ArrayList<>(plan.fires().size());
    for (DueFire due : plan.fires()) {
      fires.add(
          new Fire(
              due.plannedAt(),
              local(times, due.plannedAt()),
              due.trigger().name().toLowerCase(Locale.ROOT),
              runAt(schedule, due.plannedAt()),
              capped(due.missed())));
    }
    return new Decision(
        schedule.id(),
        plan.lastPlanned(),
        plan.next().orElse(null),
        fires,
        plan.missed()
            .map(m -> new Missed(m.from(), m.to(), capped(m.count()), reason(schedule, plan, m))));
  }

  /** Reckons the next planned time anew and decides nothing. */
  static Decision onlyNext(Definition schedule, ScheduleTimes times) {
    return new Decision(
        schedule.id(),
        schedule.plannedTo(),
        times.next(schedule.plannedTo()).orElse(null),
        List.of(),
        Optional.empty());
  }

  /** A planned time on the schedule's wall clock. */
  static String local(ScheduleTimes times, Instant planned) {
    return LOCAL.format(planned.atZone(times.zone()));
  }

  private static @Nullable Instant runAt(Definition schedule, Instant planned) {
    Duration jitter = schedule.jitter();
    return jitter.isZero() ? null : planned.plus(Jitter.of(schedule.id(), planned, jitter));
  }

  private static String reason(Definition schedule, MisfirePlan plan, MissedRange missed) {
    Instant window = schedule.now().minus(schedule.catchUpWindow());
    return switch (schedule.misfireRule().policy()) {
      case SKIP -> "misfire-policy";
      case FIRE_ONCE -> plan.fires().isEmpty() ? "catch-up-window" : "misfire-policy";
      case FIRE_ALL -> missed.to().isBefore(window) ? "catch-up-window" : "catch-up-limit";
    };
  }

  private static int capped(long count) {
    return (int) Math.min(count, Integer.MAX_VALUE);
  }
}
