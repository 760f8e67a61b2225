package io.jobscheduler.api.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SignalsTest {
  @Test
  void theSmallerKeyWins() {
    assertEquals("1:4:99:7", Signals.smallestOfEachLane("1:4:99:7", "1:4:100:1"));
    assertEquals("1:4:100:1 1:9:99:7", Signals.smallestOfEachLane("1:4:100:1", "1:9:99:7"));
    assertEquals("1:4:99:6", Signals.smallestOfEachLane("1:4:99:7", "1:4:99:6"));
    assertEquals(
        "1:4:-5:6", Signals.smallestOfEachLane("1:4:0:7", "1:4:-5:6"), "as numbers, not as text");
  }

  @Test
  void topicsAreJoinedOnce() {
    assertEquals("p jobs,queues", Signals.bothTopics("p jobs", "p queues"));
    assertEquals("p jobs,queues", Signals.bothTopics("p jobs,queues", "p jobs"));
  }
}
