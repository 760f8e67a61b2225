package io.jobscheduler.scheduler.loop;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a loop could not work off, each with its next try: after the first pause, then twice as long
 * each time, up to an hour. Forgotten an hour after its pause was over: it has gone. One thread.
 *
 * @param <K> what names it, such as a row's id
 */
public final class PassedOver<K> {
  private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();

  private record Pause(long nanos, long endsAtNanos) {}

  private final LongSupplier nanoClock;
  private final long firstNanos;
  private final Map<K, Pause> pauses = new HashMap<>();

  /** With a first pause, on a monotonic clock of nanoseconds. */
  public PassedOver(Duration first, LongSupplier nanoClock) {
    this.firstNanos = first.toNanos();
    this.nanoClock = nanoClock;
  }

  /** Notes a failure; returns whether it is the first of this one. */
  public boolean add(K which) {
    Pause before = pauses.get(which);
    long nanos = before == null ? firstNanos : Math.min(before.nanos * 2, LONGEST_NANOS);
    pauses.put(which, new Pause(nanos, nanoClock.getAsLong() + nanos));
    return before == null;
  }

  /** Forgets one that was worked off after all. */
  public void remove(K which) {
    pauses.remove(which);
  }

  /** Those whose pause is not over. */
  public List<K> now() {
    long now = nanoClock.getAsLong();
    pauses.values().removeIf(p -> now - p.endsAtNanos > LONGEST_NANOS);
    return pauses.entrySet().stream()
        .filter(e -> e.getValue().endsAtNanos - now > 0)
        .map(Map.Entry::getKey)
        .toList();
  }
}
