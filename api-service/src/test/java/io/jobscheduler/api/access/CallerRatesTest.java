package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import org.junit.jupiter.api.Test;

class CallerRatesTest {
  private static final long MILLIS = 1_000_000;

  // A monotonic clock may begin anywhere, and wrap.
  private long now = Long.MAX_VALUE - 50 * MILLIS;
  private final CallerRates rates = new CallerRates(10, 3, () -> now);

  private void refused(String caller) {
    assertEquals(
        ProblemType.TOO_MANY_REQUESTS,
        assertThrows(ProblemException.class, () -> rates.take(caller)).type());
  }

  @Test
  void aBurstPassesThenOneForEachPartOfASecond() {
    for (int i = 0; i < 3; i++) {
      rates.take("a");
    }
    refused("a");
    now += 99 * MILLIS;
    refused("a");
    now += MILLIS;
    rates.take("a");
    refused("a");
    now += 3_600_000 * MILLIS;
    for (int i = 0; i < 3; i++) {
      rates.take("a");
    }
    refused("a");
  }

  @Test
  void oneCallersFloodIsNobodyElses() {
    for (int i = 0; i < 3; i++) {
      rates.take("a");
    }
    refused("a");
    rates.take("b");
  }

  @Test
  void zeroIsNoLimit() {
    CallerRates none = new CallerRates(0, 1, () -> now);
    for (int i = 0; i < 1_000; i++) {
      none.take("a");
    }
  }

  @Test
  void whoDoesNotAskIsForgotten() {
    for (int i = 0; i < 30_000; i++) {
      rates.take("caller " + i);
      now += MILLIS;
    }
    assertTrue(rates.remembered() <= 10_001, "remembered " + rates.remembered());
  }
}
