package io.jobscheduler.api.schedules;

import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.Jitter;
import io.jobscheduler.schedule.times.ScheduleTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a schedule stands after a change. What is reckoned anew goes on from now: a change never
 * fires at once, and what was planned before it and not yet decided is not run.
 *
 * @param plannedTo every planned time up to here counts as decided
 * @param next the next planned time; null unless {@code state} is active
 */
record Standing(String state, Instant plannedTo, @Nullable Instant next) {
  static final String ACTIVE = "active";
  static final String PAUSED = "paused";
  static final String COMPLETED = "completed";
  static final String DISABLED = "disabled";

  /**
   * Of a new schedule.
   *
   * @throws ProblemException 422 when nothing is planned, or the jitter is too long
   */
  static Standing created(ScheduleRequest request, Instant now) {
    return new Standing(ACTIVE, now, requireTimes(request, now));
  }

  /**
   * Of a schedule that is replaced.
   *
   * @throws ProblemException 422 when nothing is planned any more because of this change, or the
   *     jitter is too long
   */
  static Standing replaced(ScheduleRow old, ScheduleRequest request, Instant now) {
    boolean sameTimes = old.rule().equals(request.rule());
    int runs = old.shown().summary().runs();
    boolean runsLeft = request.maxRuns() == null || runs < request.maxRuns();
    String state = old.state();
    if (sameTimes && (state.equals(ACTIVE) && runsLeft || state.equals(PAUSED))) {
      ScheduleTimes times = request.rule().times();
      requireJitter(request, times, now);
      Instant next = old.nextFireAt();
      return new Standing(
          state, old.plannedTo(), next == null ? null : times.next(old.plannedTo()).orElse(next));
    }
    if (sameTimes && state.equals(COMPLETED)) {
      Optional<Instant> next = runsLeft ? request.rule().times().next(now) : Optional.empty();
      return next.isEmpty()
          ? new Standing(COMPLETED, old.plannedTo(), null)
          : new Standing(ACTIVE, now, next.get());
    }
    Instant next = requireTimes(request, now);
    if (state.equals(PAUSED)) {
      return new Standing(PAUSED, now, null);
    }
    return runsLeft ? new Standing(ACTIVE, now, next) : new Standing(COMPLETED, now, null);
  }

  private static Instant requireTimes(ScheduleRequest request, Instant now) {
    ScheduleTimes times;
    try {
      times = request.rule().times(now);
    } catch (CronSyntaxException e) {
      throw ProblemException.at(ProblemType.VALIDATION_FAILED, RuleReader.fault("/cron", e));
    }
    Instant next =
        times
            .next(now)
            .orElseThrow(
                () ->
                    ProblemException.at(
                        ProblemType.VALIDATION_FAILED,
                        new FieldError(
                            request.rule().endAt() == null ? "/exclusions" : "/endAt",
                            "Nothing is planned from now on within these limits.",
                            "NEVER_FIRES",
                            null,
                            null,
                            null,
                            null)));
    requireJitter(request, times, now);
    return next;
  }

  private static void requireJitter(ScheduleRequest request, ScheduleTimes times, Instant now) {
    if (request.jitter().isZero()) {
      return;
    }
    Duration longest = Jitter.longest(times, now);
    if (request.jitter().compareTo(longest) > 0) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED,
          "/jitter",
          "At most "
              + longest
              + " here, half the smallest gap between fires: a longer one could change their"
              + " order.");
    }
  }

  /** Of a schedule that is resumed; empty when it cannot be reckoned. */
  static Optional<Standing> resumed(ScheduleRow old) {
    Instant now = old.now();
    ScheduleSummary summary = old.shown().summary();
    try {
      Optional<Instant> next =
          summary.maxRuns() != null && summary.runs() >= summary.maxRuns()
              ? Optional.empty()
              : old.rule().times().next(now);
      return Optional.of(
          next.map(n -> new Standing(ACTIVE, now, n))
              .orElseGet(() -> new Standing(COMPLETED, now, null)));
    } catch (CronSyntaxException e) {
      return Optional.empty();
    }
  }
}
