package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeTest {
  @Test
  void readsProjectAndTopics() {
    assertEquals(
        Optional.of(new Change("acme.prod:eu-1", Set.of("jobs", "queues"))),
        Change.parse("acme.prod:eu-1 jobs,queues"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "default",
        "default ",
        " jobs",
        "a/b jobs",
        "default JOBS",
        "default ,,",
        "default \"}]",
        "-x jobs"
      })
  void takesNothingFromAnotherShape(String payload) {
    assertTrue(Change.parse(payload).isEmpty(), payload);
  }

  @Test
  void boundsTheTopicsThatOnePayloadCanName() {
    String many =
        IntStream.range(0, 5_000)
            .mapToObj(n -> "t" + Integer.toString(n, 26).replaceAll("[0-9]", "z"))
            .collect(Collectors.joining(","));
    assertTrue(Change.parse("p " + many).orElseThrow().topics().size() <= Change.MAX_TOPICS);
  }
}
