package io.jobscheduler.localstack.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.localstack.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * 90 seconds of the faults that matter most. Judges what is on record, never how long it took: on a
 * slow machine fewer faults find their target, and that is all.
 */
class SmokeChaosIT {
  /** Fixed, so that the same faults come in the same order on every machine. */
  static final long SEED = 20261130;

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  @Test
  void keepsEveryPromiseUnderAMixOfFaults() throws IOException {
    Path reports = TARGET.resolve("chaos-it-report");
    Map<String, String> variables =
        Map.of(
            "CHAOS_SEED", Long.toString(SEED),
            "CHAOS_MINUTES", "1.5",
            "CHAOS_SCENARIO", "smoke",
            "CHAOS_FOLDER", TARGET.resolve("chaos-it").toString(),
            "CHAOS_REPORTS", reports.toString());
    assertEquals(0, ChaosCommand.of(variables, Repository.find(), System.out).run());

    JsonNode faults =
        new ObjectMapper()
            .readTree(Files.readString(reports.resolve("chaos-report.json")))
            .at("/scenarios/0/faults");
    for (String always : List.of("worker-kill", "database-restart")) {
      assertTrue(faults.path(always).asInt() > 0, () -> always + " never came about: " + faults);
    }
  }
}
