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
      int count = random.nextInt(20);
      for (int i = 0; i < count; i++) {
        int start = random.nextInt(38);
        int end = start + 1 + random.nextInt(39 - start);
        spans.add(start, end);
        for (int at = start; at < end; at++) {
          open[at]++;
        }
      }
      int limit = random.nextInt(5);
      List<Long> expected = new ArrayList<>();
      for (int at = 0; at < open.length; at++) {
        if (open[at] > limit && (at == 0 || open[at - 1] <= limit)) {
          expected.add((long) at);
        }
      }
      List<Long> told = new ArrayList<>();
      spans.above(limit, told::add);
      assertEquals(expected, told, "seed " + seed + " round " + round);
    }
  }
}
