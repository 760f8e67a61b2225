package io.jobscheduler.scheduler.workflow;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Workflows that could not be planned, each with its next try: after the first pause, then twice as
 * long each time, up to an hour. One thread.
 */
final class PassedOver {
  private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();

  private record Pause(long nanos, long endsAtNanos) {}

  private final LongSupplier nanoClock;
  private final long firstNanos;
  private final Map<Integer, Pause> pauses = new HashMap<>();

  PassedOver(Duration first, LongSupplier nanoClock) {
    this.firstNanos = first.toNanos();
    this.nanoClock = nanoClock;
  }

  /** Notes a failure; returns whether it is the workflow's first. */
  boolean add(int workflow) {
    Pause before = pauses.get(workflow);
    long nanos = before == null ? firstNanos : Math.min(before.nanos * 2, LONGEST_NANOS);
    pauses.put(workflow, new Pause(nanos, nanoClock.getAsLong() + nanos));
    return before == null;
  }

  /** Forgets a workflow that could be planned after all. */
  void remove(int workflow) {
    pauses.remove(workflow);
  }

  /** Those whose pause is not over. */
  List<Integer> now() {
    long now = nanoClock.getAsLong();
    return pauses.entrySet().stream()
        .filter(e -> e.getValue().endsAtNanos - now > 0)
        .map(Map.Entry::getKey)
        .toList();
  }
}
