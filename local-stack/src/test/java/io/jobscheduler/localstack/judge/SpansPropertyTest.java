package io.jobscheduler.localstack.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against a count at every instant. */
class SpansPropertyTest {
  @Test
  void tellsEachPassageOfTheLimit() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      Spans spans = new Spans();
      int[] open = new int[40];
      boolean[] starts = new boolean[40];
      int count = random.nextInt(20);
      for (int i = 0; i < count; i++) {
        int start = random.nextInt(38);
        int end = start + 1 + random.nextInt(39 - start);
        spans.add(start, end);
        starts[start] = true;
        for (int at = start; at < end; at++) {
          open[at]++;
        }
      }
      int limit = random.nextInt(5);
      int from = random.nextInt(40);
      int before = from + random.nextInt(41 - from);
      List<Long> expected = new ArrayList<>();
      boolean told = false;
      for (int at = from; at < before; at++) {
        told &= open[at] > limit;
        if (open[at] > limit && starts[at] && !told) {
          expected.add((long) at);
          told = true;
        }
      }
      List<Long> found = new ArrayList<>();
      spans.above(limit, from, before, found::add);
      assertEquals(expected, found, "seed " + seed + " round " + round);
    }
  }
}
