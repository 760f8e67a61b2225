package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BeatsTest {
  private static final Duration SPAN = Duration.ofSeconds(15);

  private final ManualClock clock = new ManualClock();
  private final Beats beats = new Beats(clock, Duration.ofSeconds(5));

  @Test
  void isPunctualFromItsFirstBeatOn() {
    assertFalse(beats.punctualFor(SPAN), "before any");
    beats.confirmed();
    assertTrue(beats.punctualFor(SPAN));
  }

  @Test
  void isNotPunctualForTheSpanAfterALateBeat() {
    beats.confirmed();
    clock.advance(Duration.ofSeconds(6));
    assertFalse(beats.punctualFor(SPAN), "the beat is overdue");
    beats.confirmed();
    beatFor(Duration.ofSeconds(14));
    assertFalse(beats.punctualFor(SPAN), "14 s after the gap");
    beatFor(Duration.ofSeconds(1));
    assertTrue(beats.punctualFor(SPAN), "15 s after the gap");
  }

  @Test
  void isNotPunctualForTheSpanAfterAFailedBeat() {
    beats.confirmed();
    beats.failed();
    beatFor(Duration.ofSeconds(14));
    assertFalse(beats.punctualFor(SPAN));
    beatFor(Duration.ofSeconds(1));
    assertTrue(beats.punctualFor(SPAN));
  }

  @Test
  void databaseAnsweredOnlySoLongAgo() {
    assertFalse(beats.confirmedWithin(SPAN));
    beats.confirmed();
    clock.advance(SPAN);
    assertTrue(beats.confirmedWithin(SPAN));
    clock.advance(Duration.ofNanos(1));
    assertFalse(beats.confirmedWithin(SPAN));
  }

  private void beatFor(Duration span) {
    for (long second = 0; second < span.toSeconds(); second++) {
      clock.advance(Duration.ofSeconds(1));
      beats.confirmed();
    }
  }
}
