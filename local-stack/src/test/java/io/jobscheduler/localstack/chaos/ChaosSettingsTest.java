package io.jobscheduler.localstack.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChaosSettingsTest {
  private static final Path ROOT = Path.of("/repository");

  private static ChaosSettings of(String... variables) {
    Map<String, String> map = new java.util.HashMap<>();
    for (int i = 0; i < variables.length; i += 2) {
      map.put(variables[i], variables[i + 1]);
    }
    return ChaosSettings.of(map, ROOT);
  }

  @Test
  void threeMinutesOfTheMixOnAServerOfItsOwnUnlessTold() {
    ChaosSettings settings = of();
    assertEquals(List.of(Scenario.MIX), settings.scenarios());
    assertEquals(Duration.ofMinutes(3), settings.time());
    assertNull(settings.databaseUrl());
  }

  @Test
  void drawsASeedUnlessOneIsGiven() {
    assertEquals(42, of("CHAOS_SEED", "42").seed());
    assertNotEquals(of().seed() + of().seed() + of().seed(), of().seed() * 3);
  }

  @Test
  void takesOneScenarioSomeOrAll() {
    assertEquals(List.of(Scenario.ROLLING), of("CHAOS_SCENARIO", "rolling").scenarios());
    assertEquals(
        List.of(Scenario.LEADER_STALL, Scenario.MIX),
        of("CHAOS_SCENARIO", "leader-stall, mix").scenarios());
    assertEquals(List.of(Scenario.values()), of("CHAOS_SCENARIO", "all").scenarios());
  }

  @Test
  void saysWhichVariableCannotBeUsed() {
    StackFailure scenario = assertThrows(StackFailure.class, () -> of("CHAOS_SCENARIO", "mxi"));
    assertTrue(scenario.getMessage().contains("leader-stall"), scenario.getMessage());
    StackFailure minutes = assertThrows(StackFailure.class, () -> of("CHAOS_MINUTES", "ten"));
    assertTrue(minutes.getMessage().startsWith("CHAOS_MINUTES must be"), minutes.getMessage());
  }
}
