package io.jobscheduler.localstack.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I6 of fires that wait for the run before them: each starts once no run of its schedule lives. One
 * that came just before its schedule was paused, which is how a run of the kit ends, waits for
 * good.
 */
final class WaitingCheck {
  static final String WAITING = "fires that still wait at the end";

  /**
   * For how long a fire may wait for nothing, by the time from which it could start to the pause:
   * for a leader that is late on a busy machine, and for a pause that had to be asked for again.
   * Well below what the load waits for before it pauses a schedule of which something still waits.
   */
  private static final long TOLERANCE_MICROS = 60_000_000;

  private final Findings findings;
  private final Map<Integer, FireCheck.Schedule> schedules;
  private final boolean drained;
  private final Map<Integer, List<FireCheck.Fire>> waiting = new HashMap<>();

  /** By schedule, when the last of its runs ended; {@link Long#MAX_VALUE} while one lives. */
  private final Map<Integer, Long> busyTo = new HashMap<>();

  WaitingCheck(Findings findings, Map<Integer, FireCheck.Schedule> schedules, boolean drained) {
    this.findings = findings;
    this.schedules = schedules;
    this.drained = drained;
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    if (job != null && job.schedule() != null) {
      Long finished = job.finishedMicros();
      busyTo.merge(
          job.schedule(), job.ended() && finished != null ? finished : Long.MAX_VALUE, Math::max);
    }
  }

  void fire(FireCheck.Fire fire) {
    if (fire.outcome().equals("queued")) {
      waiting.computeIfAbsent(fire.schedule(), s -> new ArrayList<>()).add(fire);
    }
  }

  /** After the last fire. */
  void finish() {
    for (FireCheck.Schedule schedule : schedules.values()) {
      List<FireCheck.Fire> fires = waiting.getOrDefault(schedule.id(), List.of());
      findings.checked(Invariant.I6, 1);
      if (fires.size() != schedule.queued()) {
        violated(
            schedule,
            "counts %d fires that wait, %d are on record"
                .formatted(schedule.queued(), fires.size()));
      }
      findings.count(WAITING, fires.size());
      fires.forEach(fire -> judge(schedule, fire));
    }
  }

  private void judge(FireCheck.Schedule schedule, FireCheck.Fire fire) {
    Long paused = schedule.pausedMicros();
    if (paused == null) {
      if (drained) {
        violated(schedule, "has a fire that still waits, though no job lives");
      }
      return;
    }
    long free = Math.max(fire.decidedMicros(), busyTo.getOrDefault(schedule.id(), 0L));
    if (free != Long.MAX_VALUE && paused - free > TOLERANCE_MICROS) {
      violated(
          schedule,
          "had a fire that waited %d s with no run before it"
              .formatted((paused - free) / 1_000_000));
    }
  }

  private void violated(FireCheck.Schedule schedule, String sentence) {
    findings.violated(Invariant.I6, null, "schedule %s %s".formatted(schedule.name(), sentence));
  }
}
