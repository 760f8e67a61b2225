package io.jobscheduler.localstack.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.localstack.Repository;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * 90 seconds of every fault there is. Judges what is on record, never how long it took: on a slow
 * machine fewer faults find their target, and that is all.
 */
class MixChaosIT {
  private static final Path TARGET = Path.of("target").toAbsolutePath();

  /** The seed is fixed, so that the same faults come in the same order on every machine. */
  @Test
  void keepsEveryPromiseUnderAMixOfFaults() {
    Map<String, String> variables =
        Map.of(
            "CHAOS_SEED", "20261130",
            "CHAOS_MINUTES", "1.5",
            "CHAOS_SCENARIO", "smoke",
            "CHAOS_FOLDER", TARGET.resolve("chaos-it").toString(),
            "CHAOS_REPORTS", TARGET.resolve("chaos-it-report").toString());
    assertEquals(0, ChaosCommand.of(variables, Repository.find(), System.out).run());
  }
}
