package io.jobscheduler.localstack.judge;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I6: a planned time has one fire, a fire has one run and a run has one fire; and of intervals that
 * nobody edited, each planned time is accounted for: fired, queued, skipped or missed by policy.
 */
final class FireCheck {
  private final Findings findings;
  private final Map<Integer, Schedule> schedules;
  private final Map<Long, JobRow> runs = new HashMap<>();
  private final Map<Integer, Set<Long>> flowJobs = new HashMap<>();
  private final Map<Integer, Coverage> coverage = new HashMap<>();
  private final Set<Long> jobsNamed = new HashSet<>();
  private final Set<Integer> flowsNamed = new HashSet<>();
  private @Nullable Fire before;

  /**
   * A schedule. Times in microseconds since the epoch.
   *
   * @param everyMicros of an interval; null: a cron expression
   * @param plannedToMicros up to here every time is decided
   * @param accounted whether every time from its making to there must be found
   * @param queued fires that wait for the run before them, by its own count
   * @param pausedMicros since when it is paused, by somebody; null: it is not, or paused itself
   */
  record Schedule(
      int id,
      String name,
      long createdMicros,
      @Nullable Long everyMicros,
      @Nullable Long anchorMicros,
      long plannedToMicros,
      boolean accounted,
      int queued,
      @Nullable Long pausedMicros) {}

  /** What became of a planned time, or of a range of them. */
  record Fire(
      int schedule,
      @Nullable Long plannedMicros,
      int run,
      String outcome,
      @Nullable Long job,
      @Nullable Integer workflow,
      @Nullable Long missedFrom,
      @Nullable Long missedTo,
      long decidedMicros) {}

  /** Planned times found, and ranges of missed ones as pairs. */
  private record Coverage(Set<Long> times, List<long[]> missed) {}

  FireCheck(Findings findings, Map<Integer, Schedule> schedules) {
    this.findings = findings;
    this.schedules = schedules;
  }

  /** Keeps the runs of schedules. */
  void check(Dossier dossier) {
    JobRow job = dossier.job();
    if (job == null || job.schedule() == null) {
      return;
    }
    if (job.workflow() == null) {
      runs.put(job.id(), job);
    } else {
      flowJobs.computeIfAbsent(job.workflow(), flow -> new HashSet<>()).add(job.id());
    }
  }

  /** A fire, ordered by schedule, planned time and run. */
  void fire(Fire fire) {
    findings.checked(Invariant.I6, 1);
    if (before != null && same(before, fire)) {
      findings.violated(
          Invariant.I6,
          fire.job(),
          "%s has two fires for %s".formatted(name(fire.schedule()), time(fire.plannedMicros())));
    }
    before = fire;
    if (fire.outcome().equals("fired")) {
      checkRun(fire);
    }
    Coverage covered =
        coverage.computeIfAbsent(
            fire.schedule(), s -> new Coverage(new HashSet<>(), new ArrayList<>()));
    if (fire.plannedMicros() != null) {
      covered.times().add(fire.plannedMicros());
    } else if (fire.missedFrom() != null && fire.missedTo() != null) {
      covered.missed().add(new long[] {fire.missedFrom(), fire.missedTo()});
    }
  }

  private static boolean same(Fire a, Fire b) {
    return a.schedule() == b.schedule()
        && a.run() == b.run()
        && a.plannedMicros() != null
        && a.plannedMicros().equals(b.plannedMicros());
  }

  private void checkRun(Fire fire) {
    if (fire.job() != null) {
      JobRow run = runs.get(fire.job());
      if (!jobsNamed.add(fire.job())) {
        violated(fire.job(), "is the run of two fires of " + name(fire.schedule()));
      } else if (run == null || !Integer.valueOf(fire.schedule()).equals(run.schedule())) {
        violated(fire.job(), "was fired by %s and is not there".formatted(name(fire.schedule())));
      }
    } else if (fire.workflow() == null) {
      violated(null, "%s fired and made no run".formatted(name(fire.schedule())));
    } else if (!flowsNamed.add(fire.workflow())) {
      violated(null, "workflow %d is the run of two fires".formatted(fire.workflow()));
    } else if (!flowJobs.containsKey(fire.workflow())) {
      violated(
          null,
          "workflow %d was fired by %s and has no jobs"
              .formatted(fire.workflow(), name(fire.schedule())));
    }
  }

  /** After the last fire. */
  void finish() {
    runs.forEach(
        (id, job) -> {
          if (!jobsNamed.contains(id)) {
            violated(
                id,
                "is a run of %s for %s that no fire made"
                    .formatted(name(job.schedule()), time(job.plannedMicros())));
          }
        });
    flowJobs.forEach(
        (flow, jobs) -> {
          if (!flowsNamed.contains(flow)) {
            violated(jobs.iterator().next(), "is of a workflow that no fire made");
          }
        });
    schedules.values().forEach(this::account);
  }

  private void account(Schedule schedule) {
    Long every = schedule.everyMicros();
    Long anchor = schedule.anchorMicros();
    if (!schedule.accounted() || every == null || anchor == null) {
      return;
    }
    Coverage covered = coverage.getOrDefault(schedule.id(), new Coverage(Set.of(), List.of()));
    long steps = Math.floorDiv(schedule.createdMicros() - anchor, every) + 1;
    for (long at = anchor + steps * every; at <= schedule.plannedToMicros(); at += every) {
      long planned = at;
      findings.checked(Invariant.I6, 1);
      if (!covered.times().contains(planned)
          && covered.missed().stream().noneMatch(m -> m[0] <= planned && planned <= m[1])) {
        violated(null, "%s passed over %s".formatted(name(schedule.id()), time(planned)));
      }
    }
  }

  private void violated(@Nullable Long job, String sentence) {
    findings.violated(Invariant.I6, job, sentence);
  }

  private String name(@Nullable Integer schedule) {
    Schedule known = schedule == null ? null : schedules.get(schedule);
    return "schedule " + (known == null ? schedule : known.name());
  }

  private static String time(@Nullable Long micros) {
    return micros == null
        ? "no planned time"
        : Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }
}
