package io.jobscheduler.api.statistics;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A span of time for which counts are kept. */
enum Bucket {
  MINUTE(Duration.ofMinutes(1), Duration.ofHours(1)),
  HOUR(Duration.ofHours(1), Duration.ofDays(1)),
  DAY(Duration.ofDays(1), Duration.ofDays(30));

  private final Duration length;
  private final Duration shown;

  Bucket(Duration length, Duration shown) {
    this.length = length;
    this.shown = shown;
  }

  static Optional<Bucket> of(String label) {
    return Stream.of(values()).filter(b -> b.label().equals(label)).findFirst();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  int seconds() {
    return Math.toIntExact(length.toSeconds());
  }

  /** How far back is shown when nobody says from when. */
  Duration shown() {
    return shown;
  }

  /** The start of the span that holds an instant; days are of UTC. */
  Instant startOf(Instant at) {
    return Instant.ofEpochSecond(
        at.getEpochSecond() - Math.floorMod(at.getEpochSecond(), seconds()));
  }

  /** The end of the span that holds an instant, or the instant itself where a span starts. */
  Instant endOf(Instant at) {
    Instant start = startOf(at);
    return start.equals(at) ? start : start.plus(length);
  }
}
