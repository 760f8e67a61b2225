package io.jobscheduler.api.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryRequestTest {
  private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");

  @Test
  void showsTheLastHourOfMinutesUnlessAskedOtherwise() {
    HistoryRequest request = HistoryRequest.of(null, null, null, "q", null, NOW);
    assertEquals(Instant.parse("2026-03-04T04:06:00Z"), request.from());
    assertEquals(Instant.parse("2026-03-04T05:07:00Z"), request.to());
  }

  @Test
  void widensToWholeSpans() {
    HistoryRequest request =
        HistoryRequest.of(
            "day", "2026-01-31T23:59:00+01:00", "2026-02-02T00:00:00Z", null, null, NOW);
    assertEquals(Instant.parse("2026-01-31T00:00:00Z"), request.from());
    assertEquals(Instant.parse("2026-02-02T00:00:00Z"), request.to());
  }

  @Test
  void namesAllThatIsWrong() {
    ProblemException problem =
        assertThrows(
            ProblemException.class,
            () -> HistoryRequest.of("week", "yesterday", "-1", "a/b", "a b", NOW));
    assertEquals(
        List.of("?bucket", "?to", "?from", "?queue", "?type"),
        problem.errors().stream().map(FieldError::pointer).toList());
  }

  @Test
  void refusesMoreSpansThanOneAnswerHolds() {
    HistoryRequest.of("minute", "2026-03-03T05:00:00Z", "2026-03-04T06:00:00Z", null, null, NOW);
    assertThrows(
        ProblemException.class,
        () ->
            HistoryRequest.of(
                "minute", "2026-03-03T05:00:00Z", "2026-03-04T06:00:01Z", null, null, NOW));
    assertThrows(
        ProblemException.class,
        () ->
            HistoryRequest.of(
                "day", "2026-03-04T00:00:00Z", "2026-03-01T00:00:00Z", null, null, NOW));
    assertThrows(
        ProblemException.class,
        () -> HistoryRequest.of("minute", "+999999999-01-01T00:00:00Z", null, null, null, NOW));
  }
}
