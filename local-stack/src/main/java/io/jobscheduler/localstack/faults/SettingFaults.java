package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.client.ApiClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What admins do to queues in the middle of their work: limits, pauses, weights. */
final class SettingFaults {
  private static final List<Integer> LIMITS = List.of(1, 2, 3, 5, 8, 13);
  private static final List<Integer> WEIGHTS = List.of(2, 5, 20, 100);

  private static final long SPREAD = 1_009;

  private SettingFaults() {}

  /** Another limit than before, often a lower one than what runs. */
  static Optional<Breakage> limit(Ground ground, long choice) {
    Integer limit = LIMITS.get((int) Math.floorMod(choice, (long) LIMITS.size()));
    return edit(ground, choice, "limit " + limit, patch(Map.of("maxConcurrency", limit)));
  }

  static Optional<Breakage> weight(Ground ground, long choice) {
    Integer weight = WEIGHTS.get((int) Math.floorMod(choice, (long) WEIGHTS.size()));
    return edit(ground, choice, "weight " + weight, patch(Map.of("weight", weight)));
  }

  static Optional<Breakage> pause(Ground ground, long choice) {
    return edit(
        ground,
        choice,
        "paused",
        queue -> api -> api.post(queue.path() + "/pause", Map.of("reason", "chaos")));
  }

  /** The call that breaks a queue. */
  private interface Edit {
    Function<ApiClient, ApiClient.Answer> of(Knobs.Queue queue);
  }

  private static Edit patch(Map<String, Object> change) {
    return queue -> api -> api.patch(queue.path(), change);
  }

  private static Optional<Breakage> edit(Ground ground, long choice, String what, Edit edit) {
    Knobs knobs = ground.knobs();
    for (int i = 0; i < knobs.queues().size(); i++) {
      // Not by the remainder that has drawn the value: with as many values as queues each queue
      // would always get the same.
      Knobs.Queue queue =
          knobs
              .queues()
              .get((int) Math.floorMod(choice / SPREAD + i, (long) knobs.queues().size()));
      if (knobs.hold(queue)) {
        if (!knobs.tryCall(edit.of(queue))) {
          // The answer may have been lost, so it is taken back all the same.
          right(knobs, queue);
          return Optional.empty();
        }
        return Optional.of(
            new Breakage(queue.path() + " " + what, null, () -> right(knobs, queue)));
      }
    }
    return Optional.empty();
  }

  private static void right(Knobs knobs, Knobs.Queue queue) {
    try {
      knobs.call(api -> api.patch(queue.path(), queue.settings()));
      knobs.call(api -> api.post(queue.path() + "/resume", Map.of()));
    } finally {
      knobs.release(queue);
    }
  }
}
