package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.TimeZones;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Runs a schedule at once and, after the commit, tells who waits for its jobs. */
@ApplicationScoped
class Trigger {
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX", Locale.ROOT);

  private final Jdbi jdbi;
  private final ScheduleStore schedules;
  private final TriggerStore store;
  private final Signals signals;

  Trigger(Jdbi jdbi, ScheduleStore schedules, TriggerStore store, Signals signals) {
    this.jdbi = jdbi;
    this.schedules = schedules;
    this.store = store;
    this.signals = signals;
  }

  /**
   * Runs a schedule now; when it runs next does not change.
   *
   * @param overlap instead of the schedule's own policy
   * @throws ProblemException 404, 409 when overlap lets it not run
   */
  TriggerStore.Triggered now(Grant grant, String name, String by, @Nullable OverlapPolicy overlap) {
    List<TriggerStore.Triggered> rows =
        jdbi.inTransaction(
            h ->
                schedules
                    .lockSchedule(h, grant.projectId(), name)
                    .map(
                        row ->
                            store.triggerSchedule(
                                h,
                                grant.projectId(),
                                row.id(),
                                by,
                                LOCAL.format(row.now().atZone(zone(row))),
                                overlap == null ? null : Words.of(overlap)))
                    .orElseThrow(() -> ProblemException.notFound("schedule")));
    TriggerStore.Triggered first = rows.get(0);
    signals.changed(grant.project(), Topic.SCHEDULES);
    if (first.outcome().equals("skipped")) {
      throw ProblemException.of(
          ProblemType.CONFLICT,
          "It was not run ("
              + first.reason()
              + "): a run of it lives. Name another overlap policy.");
    }
    tell(grant, rows);
    return first;
  }

  private void tell(Grant grant, List<TriggerStore.Triggered> rows) {
    // Keys of one statement are equal, and ids grow: the first of a queue is its smallest.
    Map<Integer, TriggerStore.Triggered> ready = new HashMap<>();
    for (TriggerStore.Triggered row : rows) {
      Long job = row.readyJobId();
      if (job != null && ready.putIfAbsent(row.queueId(), row) == null) {
        signals.ready(row.queueId(), row.lane(), row.dispatchKey(), job);
      }
    }
    if (rows.get(0).outcome().equals("queued")) {
      signals.scheduleDue(Instant.now());
    } else {
      signals.changed(grant.project(), Topic.JOBS);
    }
    if (rows.get(0).workflowId() != null) {
      signals.changed(grant.project(), Topic.WORKFLOWS);
    }
  }

  private static ZoneId zone(ScheduleRow row) {
    try {
      return TimeZones.parse(row.rule().timeZone());
    } catch (CronSyntaxException e) {
      return ZoneOffset.UTC;
    }
  }
}
