package io.jobscheduler.schedule.misfire;

import io.jobscheduler.schedule.times.ScheduleTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides which of the planned times that have come still run. */
public final class Misfire {
  /** A planned time counts as missed when it is seen later than this. */
  public static final Duration GRACE = Duration.ofSeconds(60);

  private Misfire() {}

  /**
   * Returns what runs now, what is missed, and when to look again.
   *
   * <p>Planned times that came within {@link #GRACE} always run. Of those before it the rule says
   * which do, unless they were planned before its window. A run that is on time is itself the one
   * run of {@link MisfirePolicy#FIRE_ONCE}, so a short outage does not run a job twice in a row.
   *
   * <p>Costs the fires it returns, at most 60 and the rule's {@code maxCatchUp}, and some
   * microseconds for counting the rest, however many they are.
   *
   * @param lastPlanned the last planned time dealt with, or when the schedule was made, changed or
   *     resumed; times up to it are settled
   */
  public static MisfirePlan plan(
      ScheduleTimes times, Instant lastPlanned, Instant now, MisfireRule rule) {
    Optional<Instant> first = times.next(lastPlanned);
    if (first.isEmpty() || first.get().isAfter(now)) {
      return new MisfirePlan(List.of(), Optional.empty(), lastPlanned, first);
    }
    Instant onTime = now.minus(GRACE);
    List<DueFire> fires = new ArrayList<>();
    Optional<MissedRange> missed = Optional.empty();
    Instant last = lastPlanned;
    if (first.get().isBefore(onTime)) {
      Instant until = onTime.minusNanos(1);
      Instant caughtUpFrom = caughtUpFrom(times, lastPlanned, now, until, rule);
      missed = missed(times, lastPlanned, caughtUpFrom, first.get());
      addFires(times, caughtUpFrom, until, DueFire.Trigger.CATCH_UP, missed, fires);
      last = fires.isEmpty() ? missed.orElseThrow().to() : fires.get(fires.size() - 1).plannedAt();
    }
    addFires(times, last, now, DueFire.Trigger.SCHEDULED, missed, fires);
    last = fires.isEmpty() ? last : fires.get(fires.size() - 1).plannedAt();
    return new MisfirePlan(List.copyOf(fires), missed, last, times.next(last));
  }

  /** The instant after which missed times run; those up to it do not. */
  private static Instant caughtUpFrom(
      ScheduleTimes times, Instant lastPlanned, Instant now, Instant until, MisfireRule rule) {
    Instant window = now.minus(rule.catchUpWindow()).minusNanos(1);
    Instant from = window.isBefore(lastPlanned) ? lastPlanned : window;
    boolean onTimeRun = times.count(until, now) > 0;
    long wanted =
        switch (rule.policy()) {
          case FIRE_ONCE -> onTimeRun ? 0 : 1;
          case FIRE_ALL -> rule.maxCatchUp();
          case SKIP -> 0;
        };
    if (wanted == 0 || !from.isBefore(until)) {
      return until;
    }
    long count = times.count(from, until);
    return count <= wanted ? from : times.nth(from, until, count - wanted).orElseThrow();
  }

  private static Optional<MissedRange> missed(
      ScheduleTimes times, Instant lastPlanned, Instant upTo, Instant first) {
    long count = times.count(lastPlanned, upTo);
    return count == 0
        ? Optional.empty()
        : Optional.of(
            new MissedRange(first, times.nth(lastPlanned, upTo, count).orElseThrow(), count));
  }

  private static void addFires(
      ScheduleTimes times,
      Instant after,
      Instant until,
      DueFire.Trigger trigger,
      Optional<MissedRange> missed,
      List<DueFire> fires) {
    Optional<Instant> next = times.next(after);
    while (next.isPresent() && !next.get().isAfter(until)) {
      long before = fires.isEmpty() ? missed.map(MissedRange::count).orElse(0L) : 0;
      fires.add(new DueFire(next.get(), trigger, before));
      next = times.next(next.get());
    }
  }
}
