package io.jobscheduler.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopTest {
  private static final Duration PATIENCE = Duration.ofSeconds(12);

  private final ManualClock clock = new ManualClock();
  private final Loops loops = new Loops(clock);
  private final Loop loop = loops.add("some", Duration.ofSeconds(60));

  @Test
  void survivesWhateverARoundThrows() {
    assertFalse(loop.turn(() -> fail(new IllegalStateException("expected by the test"))));
    assertFalse(loop.turn(() -> fail(new AssertionError("expected by the test"))));
    assertEquals(2, loop.failuresInRow());
    assertTrue(loop.sinceSuccess().isEmpty());

    assertTrue(loop.turn(() -> {}));
    assertEquals(0, loop.failuresInRow());
    clock.advance(Duration.ofSeconds(3));
    assertEquals(Duration.ofSeconds(3), loop.sinceSuccess().orElseThrow());
  }

  @Test
  void tellsItsRoundsTheirTimeAndWhatTheyDid() {
    loop.turn(
        () -> {
          clock.advance(Duration.ofSeconds(2));
          loop.worked(7);
        });
    loop.turn(() -> fail(new IllegalStateException("expected by the test")));
    assertEquals(2, loop.rounds());
    assertEquals(Duration.ofSeconds(2), loop.spent());
    assertEquals(7, loop.rows());
  }

  @Test
  void interruptionIsPassedOn() {
    assertFalse(
        loop.turn(
            () -> {
              throw new InterruptedException();
            }));
    assertTrue(Thread.interrupted());
  }

  @Test
  void isStuckOnceItsNextRoundIsOverdue() {
    loop.turn(() -> {});
    clock.advance(Duration.ofSeconds(71));
    assertEquals(List.of(), loops.stuck(PATIENCE));
    clock.advance(Duration.ofSeconds(1));
    assertEquals(List.of("some"), loops.stuck(PATIENCE));
  }

  @Test
  void isStuckInARoundThatLasts() {
    loop.turn(
        () -> {
          clock.advance(Duration.ofMillis(11_999));
          assertTrue(loop.turns(PATIENCE));
          clock.advance(Duration.ofMillis(1));
          assertFalse(loop.turns(PATIENCE), "in a round the rest between rounds does not count");
        });
    assertTrue(loop.turns(PATIENCE));
  }

  @Test
  void somethingRarerIsDueAtOnceAndThenOncePerPeriod() {
    Every every = new Every(Duration.ofSeconds(15), clock);
    assertTrue(every.isDue());
    clock.advance(Duration.ofMillis(14_999));
    assertFalse(every.isDue());
    clock.advance(Duration.ofMillis(1));
    assertTrue(every.isDue());
    assertFalse(every.isDue());
  }

  @Test
  void dutyTakesAtMostATenthOfTheTime() {
    Duty duty = new Duty(clock);
    long start = clock.getAsLong();
    clock.advance(Duration.ofSeconds(1));
    duty.worked(start);

    clock.advance(Duration.ofMillis(8_999));
    assertFalse(duty.allows());
    clock.advance(Duration.ofMillis(1));
    assertTrue(duty.allows());
    assertTrue(duty.allows(), "until it works again");
  }

  private static void fail(Throwable thrown) throws Exception {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }
}
