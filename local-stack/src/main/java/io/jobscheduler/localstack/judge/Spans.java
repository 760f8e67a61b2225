package io.jobscheduler.localstack.judge;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** Intervals of time, and how many of them lie over one another. 16 bytes each. */
final class Spans {
  private long[] starts = new long[16];
  private long[] ends = new long[16];
  private int size;

  /** One from start, to just before end. */
  void add(long start, long end) {
    if (size == starts.length) {
      starts = Arrays.copyOf(starts, size * 2);
      ends = Arrays.copyOf(ends, size * 2);
    }
    starts[size] = start;
    ends[size++] = end;
  }

  int size() {
    return size;
  }

  /**
   * Tells each start at which more than so many are open, at most once for each time that this
   * number is passed. Costs a sort; to be called once, after the last one.
   */
  void above(int limit, LongConsumer passedAt) {
    Arrays.sort(starts, 0, size);
    Arrays.sort(ends, 0, size);
    int started = 0;
    int ended = 0;
    boolean above = false;
    while (started < size) {
      long now = Math.min(starts[started], ends[ended]);
      // At the very instant of an end its place is free.
      while (ended < size && ends[ended] == now) {
        ended++;
      }
      while (started < size && starts[started] == now) {
        started++;
      }
      boolean was = above;
      above = started - ended > limit;
      if (above && !was) {
        passedAt.accept(now);
      }
    }
  }
}
