package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SubscriberTest {
  private final FakeTime time = new FakeTime();
  private final List<Set<String>> sent = new ArrayList<>();
  private final List<CompletableFuture<Void>> underWay = new ArrayList<>();
  private final Subscriber subscriber =
      new Subscriber(
          "p",
          change -> {
            sent.add(change.topics());
            CompletableFuture<Void> done = new CompletableFuture<>();
            underWay.add(done);
            return done;
          },
          time::nanos);

  private void taken() {
    underWay.get(underWay.size() - 1).complete(null);
  }

  @Test
  void mergesWhatComesWhileAMessageIsUnderWay() {
    subscriber.offer(Set.of("jobs"));
    for (int n = 0; n < 1_000; n++) {
      subscriber.offer(Set.of("queues"));
      subscriber.offer(Set.of("workers"));
    }
    assertEquals(List.of(Set.of("jobs")), sent);
    taken();
    taken();
    assertEquals(List.of(Set.of("jobs"), Set.of("queues", "workers")), sent);
    subscriber.offer(Set.of("jobs"));
    assertEquals(3, sent.size());
  }

  @Test
  void doesNotQueueHeartbeats() {
    subscriber.beat();
    subscriber.beat();
    subscriber.beat();
    taken();
    taken();
    assertEquals(List.of(Set.of(), Set.of()), sent);
  }

  @Test
  void tellsHowLongABrowserHasTakenNothing() {
    assertEquals(0, subscriber.stuckNanos());
    subscriber.beat();
    time.pass(Duration.ofSeconds(7));
    assertEquals(Duration.ofSeconds(7).toNanos(), subscriber.stuckNanos());
    taken();
    assertEquals(0, subscriber.stuckNanos());
  }

  @Test
  void sendsNothingMoreToASocketThatIsGone() {
    subscriber.offer(Set.of("jobs"));
    subscriber.offer(Set.of("queues"));
    underWay.get(0).completeExceptionally(new IllegalStateException("closed"));
    assertEquals(1, sent.size());
  }
}
