package io.jobscheduler.localstack.judge;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** Intervals of time, and how many of them lie over one another. 16 bytes each. */
final class Spans {
  private long[] starts = new long[16];
  private long[] ends = new long[16];
  private int size;
  private boolean sorted;

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
   * Tells each start from an instant to just before another that leaves more than so many open, at
   * most once until no more than these are open. What was open at the first instant may be more:
   * nothing may start then. Costs a sort when called first; call it after the last one was added.
   */
  void above(int limit, long from, long before, LongConsumer startedAt) {
    if (!sorted) {
      Arrays.sort(starts, 0, size);
      Arrays.sort(ends, 0, size);
      sorted = true;
    }
    int started = firstNotBelow(starts, from);
    int ended = firstNotBelow(ends, from);
    boolean told = false;
    while (started < size && starts[started] < before) {
      long now = Math.min(starts[started], ends[ended]);
      // At the very instant of an end its place is free.
      while (ended < size && ends[ended] == now) {
        ended++;
      }
      boolean starting = starts[started] == now;
      while (started < size && starts[started] == now) {
        started++;
      }
      boolean above = started - ended > limit;
      if (above && starting && !told) {
        startedAt.accept(now);
      }
      told = above && (told || starting);
    }
  }

  private int firstNotBelow(long[] times, long from) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (times[middle] < from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
