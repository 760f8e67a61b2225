package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SignalCoalescerTest {
  private record Sent(long at, Change change) {}

  private final FakeTime time = new FakeTime();
  private final List<Sent> sent = new ArrayList<>();
  private final SignalCoalescer coalescer =
      new SignalCoalescer(
          Duration.ofSeconds(1),
          time::nanos,
          time,
          change -> sent.add(new Sent(time.millis(), change)));

  private void signal(String project, String... topics) {
    coalescer.signal(new Change(project, Set.of(topics)));
  }

  @Test
  void sendsTheFirstAtOnceAndTheLastAtTheEndOfTheWindow() {
    for (int n = 0; n < 100; n++) {
      signal("p", "jobs");
      time.pass(Duration.ofMillis(5));
    }
    time.pass(Duration.ofSeconds(10));
    assertEquals(List.of(0L, 1_000L), sent.stream().map(Sent::at).toList());
  }

  @Test
  void carriesTopicsThatFallDueTogetherInOneMessage() {
    signal("p", "jobs", "queues");
    signal("p", "queues");
    signal("p", "jobs");
    time.pass(Duration.ofSeconds(2));
    assertEquals(
        List.of(
            new Sent(0, new Change("p", Set.of("jobs", "queues"))),
            new Sent(1_000, new Change("p", Set.of("jobs", "queues")))),
        sent);
  }

  @Test
  void keepsProjectsApart() {
    signal("a", "jobs");
    signal("b", "jobs");
    assertEquals(2, sent.size());
  }

  @Test
  void sendsAtOnceAgainAfterAQuietWindow() {
    signal("p", "jobs");
    time.pass(Duration.ofMillis(1_500));
    signal("p", "jobs");
    assertEquals(List.of(0L, 1_500L), sent.stream().map(Sent::at).toList());
  }

  @Test
  void forgetsProjectsThatAreQuiet() {
    for (int n = 0; n < 1_000; n++) {
      signal("p" + n, "jobs", "queues");
    }
    assertEquals(1_000, coalescer.size());
    time.pass(Duration.ofSeconds(3));
    assertEquals(0, coalescer.size());
    assertEquals(0, time.waiting());
  }

  @Test
  void neverExceedsOnePerTopicAndSecondNorLosesTheLastWord() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> topics = List.of("jobs", "queues", "workers", "workflows");
    Map<String, Long> lastSignal = new HashMap<>();
    for (int n = 0; n < 5_000; n++) {
      String topic = topics.get(random.nextInt(topics.size()));
      String project = "p" + random.nextInt(3);
      signal(project, topic);
      lastSignal.put(project + topic, time.millis());
      time.pass(Duration.ofMillis(random.nextInt(random.nextInt(20) == 0 ? 1_500 : 40)));
    }
    time.pass(Duration.ofSeconds(5));
    Map<String, Long> lastSent = new HashMap<>();
    for (Sent message : sent) {
      for (String topic : message.change().topics()) {
        Long before = lastSent.put(message.change().project() + topic, message.at());
        assertTrue(before == null || message.at() - before >= 1_000, "too often, seed " + seed);
      }
    }
    lastSignal.forEach(
        (key, at) -> assertTrue(lastSent.get(key) >= at, key + " lost its last, seed " + seed));
    assertEquals(0, coalescer.size(), "seed " + seed);
  }
}
