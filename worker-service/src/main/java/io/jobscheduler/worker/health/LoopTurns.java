package io.jobscheduler.worker.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** When each loop of this process last turned. Thread-safe. */
public final class LoopTurns {
  private final Map<String, Long> lastNanos = new ConcurrentHashMap<>();
  private final LongSupplier clock;

  /** Watches loops by a monotonic clock. */
  public LoopTurns(LongSupplier clock) {
    this.clock = clock;
  }

  /** The loop turned. */
  public void turned(String loop) {
    lastNanos.put(loop, clock.getAsLong());
  }

  /** The loop has ended on purpose. */
  public void ended(String loop) {
    lastNanos.remove(loop);
  }

  /** Loops that have not turned for so long. */
  public List<String> stuck(Duration patience) {
    long now = clock.getAsLong();
    return lastNanos.entrySet().stream()
        .filter(turn -> now - turn.getValue() > patience.toNanos())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}
