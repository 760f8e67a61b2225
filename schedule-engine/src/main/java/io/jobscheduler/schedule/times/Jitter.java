package io.jobscheduler.schedule.times;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Spreads the runs of schedules that are planned for the same instant. The planned time stays what
 * it is; only the start of its job moves.
 */
public final class Jitter {
  /** No jitter is longer. */
  public static final Duration LONGEST = Duration.ofHours(1);

  private static final int FIRES = 100;

  private Jitter() {}

  /**
   * Returns how much later than planned a fire's job starts: between nothing and {@code jitter}, in
   * milliseconds, always the same for the same schedule and planned time.
   */
  public static Duration of(long scheduleId, Instant planned, Duration jitter) {
    long choices = jitter.toMillis() + 1;
    long hash = mix(mix(scheduleId) ^ planned.getEpochSecond());
    return Duration.ofMillis(Long.remainderUnsigned(hash, choices));
  }

  /** The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom generators). */
  private static long mix(long seed) {
    long z = seed + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /**
   * Returns the longest jitter that keeps the runs of a schedule in their order: half the smallest
   * distance of its next hundred fires, at most {@link #LONGEST}.
   */
  public static Duration longest(ScheduleTimes times, Instant from) {
    return smallestGap(times, from)
        .map(gap -> gap.dividedBy(2))
        .filter(half -> half.compareTo(LONGEST) < 0)
        .orElse(LONGEST);
  }

  /** Returns the smallest distance between the next hundred fires, if there are two. */
  public static Optional<Duration> smallestGap(ScheduleTimes times, Instant from) {
    Optional<Duration> smallest = Optional.empty();
    Optional<Instant> last = times.next(from);
    for (int i = 1; i < FIRES && last.isPresent(); i++) {
      Optional<Instant> next = times.next(last.get());
      if (next.isPresent()) {
        Duration gap = Duration.between(last.get(), next.get());
        smallest = smallest.filter(known -> known.compareTo(gap) <= 0).or(() -> Optional.of(gap));
      }
      last = next;
    }
    return smallest;
  }
}
