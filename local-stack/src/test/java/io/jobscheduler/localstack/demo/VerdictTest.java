package io.jobscheduler.localstack.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final Instant SUBMITTED = Instant.parse("2026-01-01T00:00:00.000Z");

  /** Parent p finished at second 2, then child c, as given. */
  private static Verdict verdict(String parentEnd, String child) throws JsonProcessingException {
    String graph =
        """
        {"nodes": [
          {"key": "p", "state": "succeeded", "startedAt": "2026-01-01T00:00:01.000Z", "finishedAt": %s},
          {"key": "c", %s}],
         "edges": [{"from": "p", "to": "c", "on": "success"}]}
        """
            .formatted(parentEnd, child);
    return Verdict.of(new ObjectMapper().readTree(graph), SUBMITTED);
  }

  @Test
  void sameInstantIsInOrder() throws JsonProcessingException {
    Verdict verdict =
        verdict(
            "\"2026-01-01T00:00:02.000Z\"",
            """
            "state": "succeeded", "startedAt": "2026-01-01T00:00:02.000Z", "finishedAt": "2026-01-01T00:00:03.500Z"
            """);

    assertEquals(new Verdict(2, 2, 1, 0, Duration.ofMillis(3_500)), verdict);
  }

  @Test
  void countsChildThatStartedBeforeItsParentFinished() throws JsonProcessingException {
    String child =
        """
        "state": "running", "startedAt": "2026-01-01T00:00:01.999Z", "finishedAt": null
        """;

    assertEquals(1, verdict("\"2026-01-01T00:00:02.000Z\"", child).violations());
    assertEquals(1, verdict("null", child).violations(), "the parent has not finished at all");
  }

  @Test
  void childThatWaitsIsInOrder() throws JsonProcessingException {
    Verdict verdict =
        verdict("null", "\"state\": \"blocked\", \"startedAt\": null, \"finishedAt\": null");

    assertEquals(0, verdict.violations());
    assertEquals(1, verdict.succeeded());
  }
}
