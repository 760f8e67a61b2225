package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PrefetchTest {
  private static final long MILLI = 1_000_000;
  private final Prefetch prefetch = new Prefetch(8, 4, Duration.ofMillis(10));

  @Test
  void allowsNothingBeforeAnyJobHasRun() {
    assertEquals(0, prefetch.allowed());
  }

  @Test
  void allowsWhatStartsWithinTenMilliseconds() {
    prefetch.ran(40 * MILLI);
    assertEquals(2, prefetch.allowed());
  }

  @Test
  void neverAllowsMoreThanConfigured() {
    prefetch.ran(1_000);
    assertEquals(4, prefetch.allowed());
    prefetch.ran(0);
    assertEquals(4, prefetch.allowed());
  }

  @Test
  void stopsWhenJobsBecomeLong() {
    prefetch.ran(MILLI);
    for (int i = 0; i < 8; i++) {
      prefetch.ran(1_000 * MILLI);
    }
    assertEquals(0, prefetch.allowed());
  }
}
