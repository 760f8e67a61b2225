package io.jobscheduler.api.schedules;

import io.jobscheduler.schedule.misfire.DueFire;
import io.jobscheduler.schedule.misfire.Misfire;
import io.jobscheduler.schedule.misfire.MisfirePlan;
import io.jobscheduler.schedule.misfire.MisfirePolicy;
import io.jobscheduler.schedule.misfire.MisfireRule;
import io.jobscheduler.schedule.misfire.MissedRange;
import io.jobscheduler.schedule.times.ClockChange;
import io.jobscheduler.schedule.times.PlannedFire;
import io.jobscheduler.schedule.times.Preview;
import io.jobscheduler.schedule.times.ScheduleTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a rule will do, as schedule-engine says, which also fires.
 *
 * @param kind interval (follows the beat of the clock) or fixed (each time of day once a day, come
 *     what may)
 * @param description the rule in English
 * @param transitions changes of the clock in the coming year that concern it
 * @param smallestGap between the next hundred fires
 * @param longestJitter that it may have
 * @param outage what would become of the asked outage
 */
@Schema(name = "SchedulePreview")
public record Foreseen(
    @Schema(enumeration = {"interval", "fixed"}) String kind,
    String description,
    List<Warning> warnings,
    List<Fire> fires,
    List<Transition> transitions,
    @Nullable Duration smallestGap,
    Duration longestJitter,
    @Nullable OutagePlan outage) {
  private static final int MOST_SHOWN = 100;

  /**
   * A planned time.
   *
   * @param local on the schedule's clock
   * @param flag gap_shifted: its own time does not exist that day; overlap_first: its time comes
   *     twice that day, and it runs the first time; null: neither
   * @param skipped the wall-clock time that a gap skipped
   */
  @Schema(name = "PlannedFire")
  public record Fire(
      Instant plannedAt,
      OffsetDateTime local,
      @Schema(enumeration = {"gap_shifted", "overlap_first"}) @Nullable String flag,
      @Nullable LocalDateTime skipped) {
    static Fire of(PlannedFire fire) {
      return new Fire(
          fire.plannedAt(),
          fire.local(),
          fire.flag() == PlannedFire.Flag.NONE ? null : Words.of(fire.flag()),
          fire.skipped().orElse(null));
    }
  }

  /**
   * A change of the clock.
   *
   * @param before what clocks would have shown
   * @param after what they show from then on
   * @param first the first time of the schedule that is skipped or comes twice
   * @param count how many such times there are
   * @param effect moved, dropped, once or twice
   * @param message the same in one sentence
   */
  @Schema(name = "ClockTransition")
  public record Transition(
      Instant at,
      LocalDateTime before,
      LocalDateTime after,
      LocalDateTime first,
      long count,
      @Schema(enumeration = {"moved", "dropped", "once", "twice"}) String effect,
      String message) {
    static Transition of(ClockChange change, ZoneId zone) {
      return new Transition(
          change.at(),
          change.before(),
          change.after(),
          change.first(),
          change.count(),
          Words.of(change.effect()),
          change.sentence(zone));
    }
  }

  /** What would become of an outage, policy by policy. */
  public record OutagePlan(Instant from, Instant to, List<PolicyOutcome> policies) {}

  /**
   * What would happen at the end of an outage.
   *
   * @param runs what would run then, oldest first; the first 100
   * @param runCount how many they are
   * @param missed what would not run
   * @param next the next planned time after it
   */
  public record PolicyOutcome(
      @Schema(enumeration = {"fire_once", "fire_all", "skip"}) String policy,
      List<OutageRun> runs,
      int runCount,
      @Nullable Missed missed,
      @Nullable Instant next) {}

  /**
   * A run after an outage.
   *
   * @param trigger scheduled (at most a minute late) or catch_up
   */
  public record OutageRun(
      Instant plannedAt, @Schema(enumeration = {"scheduled", "catch_up"}) String trigger) {}

  /** Planned times that do not run: first, last, how many. */
  @Schema(name = "MissedRange")
  public record Missed(Instant from, Instant to, long count) {}

  static Foreseen of(PreviewRequest request, ScheduleTimes times, Instant now) {
    Instant from = request.from() == null ? now : request.from();
    Preview preview = Preview.of(times, from, request.count());
    return new Foreseen(
        Words.of(preview.kind()),
        preview.description(),
        Warning.of(preview),
        preview.fires().stream().map(Fire::of).toList(),
        preview.clockChanges().stream().map(c -> Transition.of(c, times.zone())).toList(),
        preview.smallestGap().orElse(null),
        preview.longestJitter(),
        request.outage() == null ? null : plan(request.outage(), times, from));
  }

  private static OutagePlan plan(PreviewRequest.Outage outage, ScheduleTimes times, Instant from) {
    Instant start = outage.start() == null ? from : outage.start();
    Instant end = start.plus(outage.length());
    return new OutagePlan(
        start,
        end,
        Arrays.stream(MisfirePolicy.values())
            .map(policy -> outcome(policy, outage.misfire(), times, start, end))
            .toList());
  }

  private static PolicyOutcome outcome(
      MisfirePolicy policy, MisfireRule rule, ScheduleTimes times, Instant start, Instant end) {
    MisfirePlan plan =
        Misfire.plan(
            times, start, end, new MisfireRule(policy, rule.catchUpWindow(), rule.maxCatchUp()));
    List<DueFire> fires = plan.fires();
    return new PolicyOutcome(
        Words.of(policy),
        fires.stream()
            .limit(MOST_SHOWN)
            .map(f -> new OutageRun(f.plannedAt(), Words.of(f.trigger())))
            .toList(),
        fires.size(),
        plan.missed().map(Foreseen::missed).orElse(null),
        plan.next().orElse(null));
  }

  private static Missed missed(MissedRange range) {
    return new Missed(range.from(), range.to(), range.count());
  }
}
