package io.jobscheduler.scheduler.cron;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What became of planned times since this process started, in numbers. Written by the loop, read by
 * any.
 */
@Singleton
public class FireFigures {
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
  private volatile Duration lag = Duration.ZERO;
  private volatile Duration late = Duration.ZERO;

  void fired(Fired fired) {
    Duration longest = Duration.ZERO;
    for (Fired.Fire fire : fired.fires()) {
      switch (fire.outcome()) {
        case "fired" -> add("fires." + fire.trigger(), 1);
        case "skipped" -> add("skipped." + fire.reason(), 1);
        default -> add("queued", 1);
      }
      // A catch-up or a backfill is late by its nature.
      if (fire.trigger().equals("scheduled") && fire.lag().compareTo(longest) > 0) {
        longest = fire.lag();
      }
    }
    if (!longest.isZero()) {
      lag = longest;
    }
    if (fired.missed() > 0) {
      add("missed", fired.missed());
    }
  }

  void late(Duration age) {
    late = age;
  }

  private void add(String name, long count) {
    counts.computeIfAbsent(name, n -> new LongAdder()).add(count);
  }

  /**
   * Counts of fires by trigger, of skipped ones by reason, of planned times that were missed, and
   * in milliseconds the longest lag of the last batch on time ({@code lag}) and how late the
   * longest due schedule was at the last look ({@code late}).
   */
  public Map<String, Long> all() {
    Map<String, Long> all = new TreeMap<>();
    counts.forEach((name, count) -> all.put(name, count.sum()));
    all.put("lag", lag.toMillis());
    all.put("late", late.toMillis());
    return all;
  }
}
