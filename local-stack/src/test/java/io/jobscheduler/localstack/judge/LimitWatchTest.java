package io.jobscheduler.localstack.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitWatchTest {
  private final LimitWatch watch = new LimitWatch();
  private long now;

  private void see(@Nullable Integer limit, long edited, int running) {
    watch.see(
        List.of(new LimitWatch.Sample(1, "a/q", limit, null, edited, running, 0, null)), ++now);
  }

  private void seeKey(int perKey, int most) {
    watch.see(List.of(new LimitWatch.Sample(1, "a/q", null, perKey, 0, 9, most, "k")), ++now);
  }

  @Test
  void countsEachSampleOverTheLimit() {
    see(2, 0, 2);
    see(2, 0, 3);
    see(2, 0, 4);
    see(2, 0, 2);
    assertEquals(2, watch.overCount());
    assertEquals(3, watch.checks());
  }

  @Test
  void boundOfALoweredLimitOnlyFalls() {
    see(5, 0, 5);
    see(2, 1, 5);
    see(2, 1, 5);
    see(2, 1, 4);
    assertEquals(0, watch.overCount());
    see(2, 1, 5);
    assertEquals(1, watch.overCount(), "it rose");
    see(2, 1, 3);
    see(2, 1, 2);
    see(2, 1, 3);
    assertEquals(2, watch.overCount(), "it rose above the limit after it had fallen to it");
  }

  @Test
  void judgesNothingAcrossAnEdit() {
    see(2, 0, 2);
    see(2, 1, 9);
    see(2, 1, 8);
    assertEquals(0, watch.overCount());
  }

  @Test
  void tellsWhichLimitWasInForceWhenAndNothingOfTheTimeUpToAnEdit() {
    now = 100;
    see(2, 50, 0);
    see(2, 50, 0);
    now = 200;
    see(9, 180, 0);
    // Committed after the snapshot before, stamped ahead of it.
    see(3, 199, 0);
    see(null, 202, 0);
    assertEquals(
        Map.of(
            1,
            List.of(
                new Observations.Rule(50, 102, 2, null),
                new Observations.Rule(180, 199, 9, null),
                new Observations.Rule(199, 202, 3, null))),
        watch.rules());
  }

  @Test
  void firstLimitBindsFromWhatRan() {
    see(null, 0, 50);
    see(3, 1, 50);
    see(3, 1, 51);
    assertEquals(1, watch.overCount());
  }

  @Test
  void keysHaveTheirOwnLimit() {
    seeKey(1, 1);
    seeKey(1, 2);
    assertEquals(1, watch.overCount());
    assertEquals(Map.of(1, List.of(new Observations.Rule(0, 2, null, 1))), watch.rules());
  }
}
