package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.ScheduleTimes;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Asks for planned times of the past to be run. Only times that are decided already: those to come
 * are the leader's, so no time can be fired by both as its regular run.
 */
@ApplicationScoped
class Backfills {
  private final Jdbi jdbi;
  private final ScheduleStore schedules;
  private final BackfillStore store;
  private final Signals signals;

  Backfills(Jdbi jdbi, ScheduleStore schedules, BackfillStore store, Signals signals) {
    this.jdbi = jdbi;
    this.schedules = schedules;
    this.store = store;
    this.signals = signals;
  }

  private record Range(ScheduleRow schedule, Instant to, List<Instant> planned) {}

  /**
   * What a backfill would do; changes nothing.
   *
   * @throws ProblemException 404, 409, 422
   */
  Backfill.DryRun tryOut(Grant grant, String name, BackfillRequest request) {
    return jdbi.inTransaction(
        h -> {
          Range range =
              range(
                  schedules
                      .findSchedule(h, grant.projectId(), name)
                      .orElseThrow(() -> ProblemException.notFound("schedule")),
                  request);
          List<Instant> toRun =
              store.timesToRun(h, range.schedule().id(), range.planned(), request.reprocess());
          return new Backfill.DryRun(
              true,
              range.planned().size(),
              toRun.size(),
              range.planned().size() - toRun.size(),
              toRun.isEmpty() ? null : toRun.get(0),
              toRun.isEmpty() ? null : toRun.get(toRun.size() - 1));
        });
  }

  /**
   * Has a backfill worked by the leader; returns its id.
   *
   * @throws ProblemException 404, 409, 422
   */
  int start(Grant grant, String name, BackfillRequest request, String by) {
    int id = jdbi.inTransaction(h -> insert(h, grant, name, request, by));
    told(grant);
    return id;
  }

  private int insert(Handle h, Grant grant, String name, BackfillRequest request, String by) {
    Range range =
        range(
            schedules
                .lockSchedule(h, grant.projectId(), name)
                .orElseThrow(() -> ProblemException.notFound("schedule")),
            request);
    return store.insertBackfill(
        h, range.schedule().id(), request, range.to(), range.planned().size(), by);
  }

  private static Range range(ScheduleRow schedule, BackfillRequest request) {
    if (request.to().isAfter(schedule.now())) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED, "/to", "It must not lie ahead: those times are to come.");
    }
    ScheduleTimes times;
    try {
      times = schedule.rule().times();
    } catch (CronSyntaxException e) {
      throw ProblemException.of(
          ProblemType.CONFLICT, "Its times cannot be reckoned; edit the schedule first.");
    }
    Instant to = decided(schedule, times, request);
    // Both ends as the engine takes them, exclusive and inclusive.
    Instant after = request.from().minusNanos(1);
    Instant until = to.minusNanos(1);
    long count = times.count(after, until);
    if (count > BackfillRequest.MOST_TIMES) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED,
          "/to",
          "The range has "
              + count
              + " planned times; at most "
              + BackfillRequest.MOST_TIMES
              + " at once.");
    }
    List<Instant> planned = new ArrayList<>();
    Optional<Instant> next = times.next(after);
    while (next.isPresent() && !next.get().isAfter(until)) {
      planned.add(next.get());
      next = times.next(next.get());
    }
    return new Range(schedule, to, planned);
  }

  /** The end of the range, at most the first time that the leader has still to decide. */
  private static Instant decided(
      ScheduleRow schedule, ScheduleTimes times, BackfillRequest request) {
    Optional<Instant> open =
        schedule.state().equals(Standing.ACTIVE)
            ? times.next(schedule.plannedTo())
            : Optional.empty();
    if (open.isEmpty() || !open.get().isBefore(request.to())) {
      return request.to();
    }
    if (!open.get().isAfter(request.from())) {
      throw ProblemException.at(
          ProblemType.CONFLICT,
          "/from",
          "Times from " + open.get() + " on are still to be decided by the scheduler itself.");
    }
    return open.get();
  }

  /**
   * Ends a backfill before its time; runs that it made go on.
   *
   * @throws ProblemException 404, 409 when it is completed
   */
  void abort(Grant grant, int schedule, int backfill, String by) {
    String state =
        store
            .abortBackfill(grant.projectId(), schedule, backfill, "aborted by " + by)
            .orElseThrow(() -> ProblemException.notFound("backfill"));
    if (state.equals("completed")) {
      throw ProblemException.of(ProblemType.CONFLICT, "It is completed.");
    }
    told(grant);
  }

  private void told(Grant grant) {
    signals.scheduleDue(Instant.now());
    signals.changed(grant.project(), Topic.SCHEDULES);
  }
}
