package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.service.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Restarts by SIGTERM: with other settings, as in a rolling upgrade, or with another clock. */
final class RestartFaults {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

  private static final List<Map<String, String>> WORKERS =
      List.of(
          Map.of("JOBS_WORKER_SLOTS", "4", "JOBS_WORKER_PREFETCH", "0"),
          Map.of("JOBS_WORKER_SLOTS", "24", "JOBS_WORKER_POLL", "PT0.2S"),
          Map.of("JOBS_WORKER_DRAIN_LIMIT", "PT1S", "JOBS_WORKER_COMPARE", "PT1S"),
          Map.of());
  private static final List<Map<String, String>> SCHEDULERS =
      List.of(
          Map.of("JOBS_SCHEDULER_PROMOTE_BATCH", "10", "JOBS_SCHEDULER_CRON_BATCH", "2"),
          Map.of("JOBS_SCHEDULER_RESCUE_BATCH", "5", "JOBS_SCHEDULER_WORKFLOW_SWEEP_BATCH", "10"),
          Map.of());
  private static final List<Map<String, String>> APIS =
      List.of(Map.of("JOBS_DB_POOL_SIZE", "4"), Map.of());

  /** How far a clock goes wrong; libfaketime's words. */
  private static final List<String> SHIFTS = List.of("+90s", "-90s", "+3h", "-3h", "+400d");

  private RestartFaults() {}

  /**
   * One process after the other comes back with other settings than its neighbours, and stays so.
   */
  static Optional<Breakage> otherSettings(Ground ground, long choice) {
    List<Member> all = new ArrayList<>(ground.fleet().of(Service.WORKER));
    all.addAll(ground.fleet().of(Service.SCHEDULER));
    all.addAll(ground.fleet().of(Service.API));
    return Ground.hold(all, choice)
        .map(
            member -> {
              stop(member, settings(member.process().service(), choice));
              return new Breakage(member.name(), null, () -> ground.startAgain(member))
                  .then(member::release);
            });
  }

  private static Map<String, String> settings(Service service, long choice) {
    List<Map<String, String>> variants =
        service == Service.WORKER ? WORKERS : service == Service.SCHEDULER ? SCHEDULERS : APIS;
    return variants.get((int) Math.floorMod(choice / 1_009, (long) variants.size()));
  }

  /** One process has a wrong clock for a while; its monotonic clock goes on as it should. */
  static Optional<Breakage> clock(Ground ground, long choice) {
    String shift = SHIFTS.get((int) Math.floorMod(choice / 1_009, (long) SHIFTS.size()));
    List<Member> all = new ArrayList<>(ground.fleet().of(Service.WORKER));
    all.addAll(ground.fleet().of(Service.SCHEDULER));
    return Ground.hold(all, choice)
        .map(
            member -> {
              stop(member, FakeTime.variables(shift));
              startOrRelease(ground, member);
              return new Breakage(
                      member.name() + " " + shift, null, () -> restart(ground, member, Map.of()))
                  .then(member::release);
            });
  }

  private static void restart(Ground ground, Member member, Map<String, String> settings) {
    member.process().stop(STOP_LIMIT);
    member.process().setExtra(settings);
    ground.startAgain(member);
  }

  /** What fails here leaves the process to whoever revives those that nobody holds. */
  private static void stop(Member member, Map<String, String> settings) {
    try {
      member.process().stop(STOP_LIMIT);
      member.process().setExtra(settings);
    } catch (RuntimeException e) {
      member.release();
      throw e;
    }
  }

  private static void startOrRelease(Ground ground, Member member) {
    try {
      ground.startAgain(member);
    } catch (RuntimeException e) {
      member.release();
      throw e;
    }
  }
}
