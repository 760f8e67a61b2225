package io.jobscheduler.localstack.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitWatchTest {
  private final LimitWatch watch = new LimitWatch();

  private void see(@Nullable Integer limit, long edited, int running) {
    watch.see(List.of(new LimitWatch.Sample(1, "a/q", limit, null, edited, running, 0, null)));
  }

  private void seeKey(int perKey, int most) {
    watch.see(List.of(new LimitWatch.Sample(1, "a/q", null, perKey, 0, 9, most, "k")));
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
    assertEquals(Map.of(), watch.steady());
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
    assertEquals(Map.of(1, new Observations.Limits(null, 1)), watch.steady());
  }
}
