package io.jobscheduler.worker.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FenceTest {
  private static final Timings TIMINGS = new Timings(Duration.ofSeconds(2), Duration.ofSeconds(15));

  private static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  @Test
  void silenceFallsAfterFourFifthsOfTheTimeout() {
    Fence fence = new Fence(TIMINGS, 0);
    assertFalse(fence.isDown(seconds(11.9)));
    assertTrue(fence.isDown(seconds(12)));
  }

  @Test
  void brokenConnectionFallsAfterTwoBeats() {
    Fence fence = new Fence(TIMINGS, 0);
    fence.broken();
    assertFalse(fence.isDown(seconds(3.9)));
    assertTrue(fence.isDown(seconds(4)));
  }

  @Test
  void countsFromWhenTheConfirmedBeatWasSentNotFromItsReply() {
    Fence fence = new Fence(TIMINGS, 0);
    // Sent at 2 s, its reply came at 9 s: whoever judges us may count from 2 s on.
    fence.confirmed(seconds(2), true);
    assertEquals(seconds(14), fence.deadlineNanos());
  }

  @Test
  void beatOverAnyConnectionHealsABrokenOne() {
    Fence fence = new Fence(TIMINGS, 0);
    fence.broken();
    fence.confirmed(seconds(3), true);
    assertFalse(fence.isDown(seconds(14.9)));
    assertTrue(fence.isDown(seconds(15)));
  }

  /** Whoever sees the lock absent waits for two and a half beats only. */
  @Test
  void beatWithoutTheLockKeepsTheShorterDeadline() {
    Fence fence = new Fence(TIMINGS, 0);
    fence.broken();
    fence.confirmed(seconds(3), false);
    assertFalse(fence.isDown(seconds(6.9)));
    assertTrue(fence.isDown(seconds(7)));
    fence.confirmed(seconds(5), true);
    assertFalse(fence.isDown(seconds(16.9)));
  }

  @Test
  void lateReplyOfAnEarlierBeatTakesNothingBack() {
    Fence fence = new Fence(TIMINGS, 0);
    fence.confirmed(seconds(4), true);
    fence.confirmed(seconds(2), true);
    assertEquals(seconds(16), fence.deadlineNanos());
  }

  @Test
  void worksWhereTheMonotonicClockWrapsAround() {
    long start = Long.MAX_VALUE - seconds(1);
    Fence fence = new Fence(TIMINGS, start);
    assertFalse(fence.isDown(start + seconds(11)));
    assertTrue(fence.isDown(start + seconds(12)));
  }

  @Test
  void fencesFallBeforeAnybodyMayTakeTheJobs() {
    Duration early = TIMINGS.beat().multipliedBy(5).dividedBy(2);
    assertTrue(TIMINGS.fenceWhenBroken().compareTo(early) < 0);
    assertTrue(TIMINGS.fenceWhenSilent().compareTo(TIMINGS.timeout()) < 0);
  }

  @Test
  void refusesRelationsThatDoNotHold() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new Timings(Duration.ofSeconds(2), Duration.ofMillis(9_999)));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Timings(Duration.ofMillis(99), Duration.ofSeconds(15)));
    assertEquals(
        Duration.ofSeconds(8),
        new Timings(Duration.ofSeconds(2), Duration.ofSeconds(10)).fenceWhenSilent());
  }
}
