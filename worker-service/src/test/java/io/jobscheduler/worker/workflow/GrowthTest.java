package io.jobscheduler.worker.workflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.handlers.AddedJob;
import io.jobscheduler.worker.handlers.GrowthException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrowthTest {
  private static AddedJob job(String key) {
    return AddedJob.of(key, "t");
  }

  @Test
  void parentsStandBeforeTheirChildrenAndPayloadsStayAsTheyWereTyped() throws Exception {
    Growth growth =
        Growth.of(
            List.of(
                job("c").after("b", "old"),
                job("b").after("a").withPayload("{\"x\": 1e2}"),
                job("a").inQueue("mail")));

    assertEquals(
        "[{\"key\":\"a\",\"type\":\"t\",\"queue\":\"mail\",\"priority\":4,\"maxAttempts\":20},"
            + "{\"key\":\"b\",\"type\":\"t\",\"queue\":\"default\",\"priority\":4,\"maxAttempts\":20,"
            + "\"payload\":{\"x\": 1e2}},"
            + "{\"key\":\"c\",\"type\":\"t\",\"queue\":\"default\",\"priority\":4,\"maxAttempts\":20}]",
        growth.jobs());
    assertEquals(List.of("b", "old", "a"), growth.parents());
    assertEquals(List.of("c", "c", "b"), growth.children());
    assertEquals(List.of("success", "success", "success"), growth.conditions());
  }

  @Test
  void cycleIsRefusedAndNamed() {
    GrowthException thrown =
        assertThrows(
            GrowthException.class,
            () ->
                Growth.of(List.of(job("a").after("c"), job("b").after("a"), job("c").after("b"))));
    assertEquals("cycle", thrown.reason());
    assertEquals("cycle: a, b, c, a", thrown.getMessage());
  }

  @Test
  void keyThatIsUsedTwiceIsNamed() {
    GrowthException thrown =
        assertThrows(GrowthException.class, () -> Growth.of(List.of(job("a"), job("b"), job("a"))));
    assertEquals("duplicate-key: a", thrown.getMessage());
  }

  @Test
  void everyJobWithAValueOutOfItsRangeIsNamed() {
    AddedJob negative =
        new AddedJob(
            "negative", "t", "q", null, 4, 1, Duration.ZERO, Duration.ofSeconds(-1), List.of());
    GrowthException thrown =
        assertThrows(
            GrowthException.class,
            () ->
                Growth.of(
                    List.of(
                        job("fine"),
                        job("not a name"),
                        job("json").withPayload("{"),
                        new AddedJob("urgent", "t", "q", null, 10, 1, null, null, List.of()),
                        new AddedJob("never", "t", "q", null, 4, 0, null, null, List.of()),
                        negative)));
    assertEquals("invalid: not a name, json, urgent, never, negative", thrown.getMessage());
  }

  @Test
  void payloadsAreHeldToTheRulesOfTheApi() {
    for (String fine :
        List.of(
            "1", "-0", "1E-400", "\"\\ud83d\\ude00\"", "[".repeat(64) + "]".repeat(64), "null")) {
      assertTrue(PayloadCheck.isStorable(fine), fine);
    }
    for (String wrong :
        List.of(
            "",
            "1 2",
            "{\"a\":1,\"a\":2}",
            "\"\\u0000\"",
            "\"\\ud83d\"",
            "1e401",
            "1".repeat(101),
            "[".repeat(65) + "]".repeat(65),
            "\"" + "x".repeat(262_144) + "\"")) {
      assertFalse(PayloadCheck.isStorable(wrong), wrong);
    }
  }
}
