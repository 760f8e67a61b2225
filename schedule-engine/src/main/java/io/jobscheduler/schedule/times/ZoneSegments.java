package io.jobscheduler.schedule.times;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The stretches of time during which a zone's offset stays the same, numbered from 0, with plain
 * numbers where java.time has objects.
 *
 * <p>Immutable; one per zone is kept, about 8 KB for a zone with daylight saving. Seconds are those
 * of the epoch.
 */
final class ZoneSegments {
  /** No planned time lies before 1970. */
  static final long BEGIN = 0;

  /** No planned time lies after 2299. */
  static final long END = Instant.parse("2300-01-01T00:00:00Z").getEpochSecond();

  private static final ConcurrentMap<ZoneId, ZoneSegments> KNOWN = new ConcurrentHashMap<>();

  private final long[] starts;
  private final int[] offsets;

  private ZoneSegments(long[] starts, int[] offsets) {
    this.starts = starts;
    this.offsets = offsets;
  }

  static ZoneSegments of(ZoneId zone) {
    return KNOWN.computeIfAbsent(zone, ZoneSegments::read);
  }

  private static ZoneSegments read(ZoneId zone) {
    ZoneRules rules = zone.getRules();
    long[] starts = new long[1024];
    int[] offsets = new int[starts.length];
    starts[0] = Long.MIN_VALUE;
    offsets[0] = rules.getOffset(Instant.ofEpochSecond(BEGIN)).getTotalSeconds();
    int count = 1;
    ZoneOffsetTransition change = rules.nextTransition(Instant.ofEpochSecond(BEGIN));
    while (change != null && change.toEpochSecond() < END) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      starts[count] = change.toEpochSecond();
      offsets[count++] = change.getOffsetAfter().getTotalSeconds();
      change = rules.nextTransition(change.getInstant());
    }
    return new ZoneSegments(Arrays.copyOf(starts, count), Arrays.copyOf(offsets, count));
  }

  /** The number of the segment that holds an instant. */
  int at(long second) {
    if (starts.length == 1) {
      return 0;
    }
    int found = Arrays.binarySearch(starts, second);
    return found >= 0 ? found : -found - 2;
  }

  int count() {
    return starts.length;
  }

  /** The first second of a segment; far in the past for number 0. */
  long start(int segment) {
    return starts[segment];
  }

  /** The first second after a segment; far in the future for the last one. */
  long end(int segment) {
    return segment + 1 == starts.length ? Long.MAX_VALUE : starts[segment + 1];
  }

  int offset(int segment) {
    return offsets[segment];
  }

  /**
   * By how many seconds clocks were set at a segment's start: above 0 a gap, below 0 an overlap.
   */
  int change(int segment) {
    return segment == 0 ? 0 : offsets[segment] - offsets[segment - 1];
  }
}
