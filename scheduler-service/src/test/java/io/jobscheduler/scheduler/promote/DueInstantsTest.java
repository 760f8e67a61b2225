package io.jobscheduler.scheduler.promote;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DueInstantsTest {
  private static final long NOW_MICROS = 1_800_000_000_000_000L;
  private static final Duration HORIZON = Duration.ofMinutes(10);

  private final ManualClock clock = new ManualClock();
  private final DueInstants instants = new DueInstants(clock);

  @Test
  void instantComesNoSoonerThanItsMicrosecond() throws Exception {
    instants.synchronise(NOW_MICROS);
    instants.arm(NOW_MICROS + 1_500, HORIZON);

    clock.advance(Duration.ofNanos(1_499_999));
    assertFalse(instants.await(0));
    clock.advance(Duration.ofNanos(1));
    assertTrue(instants.await(0));
    assertFalse(instants.await(0), "each comes once");
  }

  @Test
  void allThatHaveComeAreOneWake() throws Exception {
    instants.synchronise(NOW_MICROS);
    instants.arm(NOW_MICROS + 1, HORIZON);
    instants.arm(NOW_MICROS + 2, HORIZON);
    instants.arm(NOW_MICROS + 1, HORIZON);

    clock.advance(Duration.ofSeconds(1));
    assertTrue(instants.await(0));
    assertTrue(instants.isEmpty());
  }

  @Test
  void pastInstantIsDueAtOnce() throws Exception {
    instants.synchronise(NOW_MICROS);
    instants.arm(NOW_MICROS - 5_000_000, HORIZON);

    assertTrue(instants.await(0));
  }

  @Test
  void beyondTheHorizonNothingIsKept() {
    instants.synchronise(NOW_MICROS);
    instants.arm(NOW_MICROS + HORIZON.toSeconds() * 1_000_000 + 1, HORIZON);
    instants.arm(Long.MAX_VALUE, HORIZON);

    assertTrue(instants.isEmpty());
  }

  @Test
  void beforeTheClocksAreComparedNothingIsKept() {
    instants.arm(NOW_MICROS, HORIZON);

    assertTrue(instants.isEmpty());
  }
}
