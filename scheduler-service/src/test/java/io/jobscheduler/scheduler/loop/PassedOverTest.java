package io.jobscheduler.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PassedOverTest {
  private final ManualClock clock = new ManualClock();
  private final PassedOver<Integer> passedOver = new PassedOver<>(Duration.ofSeconds(10), clock);

  @Test
  void pauseDoublesWithEachFailure() {
    assertTrue(passedOver.add(7), "the first is worth a word");
    clock.advance(Duration.ofMillis(9_999));
    assertEquals(List.of(7), passedOver.now());
    clock.advance(Duration.ofMillis(1));
    assertEquals(List.of(), passedOver.now());

    assertFalse(passedOver.add(7));
    clock.advance(Duration.ofMillis(19_999));
    assertEquals(List.of(7), passedOver.now());
    clock.advance(Duration.ofMillis(1));
    assertEquals(List.of(), passedOver.now());
  }

  @Test
  void pauseIsAtMostAnHour() {
    for (int failure = 0; failure < 100; failure++) {
      passedOver.add(7);
    }
    clock.advance(Duration.ofHours(1));
    assertEquals(List.of(), passedOver.now());
  }

  @Test
  void successForgetsTheFailures() {
    passedOver.add(7);
    passedOver.remove(7);
    assertEquals(List.of(), passedOver.now());
    assertTrue(passedOver.add(7));
  }

  @Test
  void oneThatHasGoneIsForgottenAnHourAfterItsPause() {
    passedOver.add(7);
    clock.advance(Duration.ofHours(1).plusSeconds(11));
    passedOver.now();
    assertTrue(passedOver.add(7));
  }
}
