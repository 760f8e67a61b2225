package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronKind;
import io.jobscheduler.schedule.cron.CronWarning;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Planned times at equal distances of elapsed time, whatever clocks show: an anchor and every
 * multiple of the distance before and after it.
 */
public final class IntervalTimes implements ScheduleTimes {
  /** The shortest distance. */
  public static final Duration SHORTEST = Duration.ofSeconds(1);

  /** The longest distance: ten years of 365 days. */
  public static final Duration LONGEST = Duration.ofDays(3650);

  private final long every;
  private final long anchor;
  private final ZoneId zone;

  private IntervalTimes(long every, long anchor, ZoneId zone) {
    this.every = every;
    this.anchor = anchor;
    this.zone = zone;
  }

  /**
   * Returns the times {@code every} apart, one of which is {@code anchor} without its fraction of a
   * second. The anchor sets the beat only; when to begin is a limit of its own. The zone is for
   * showing, and for excluded dates.
   *
   * @throws IllegalArgumentException if {@code every} has a fraction of a second, or is not between
   *     {@link #SHORTEST} and {@link #LONGEST}
   */
  public static IntervalTimes of(Duration every, Instant anchor, ZoneId zone) {
    if (every.getNano() != 0) {
      throw new IllegalArgumentException("every must be whole seconds");
    }
    if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("every must be between " + SHORTEST + " and " + LONGEST);
    }
    return new IntervalTimes(every.getSeconds(), anchor.getEpochSecond(), zone);
  }

  /** Returns the distance. */
  public Duration every() {
    return Duration.ofSeconds(every);
  }

  /** Returns the anchor, a whole second. */
  public Instant anchor() {
    return Instant.ofEpochSecond(anchor);
  }

  @Override
  public CronKind kind() {
    return CronKind.INTERVAL;
  }

  @Override
  public String description() {
    return "every " + words();
  }

  private String words() {
    Duration rest = every();
    List<String> words = new ArrayList<>();
    add(words, rest.toDays(), "day");
    add(words, rest.toHoursPart(), "hour");
    add(words, rest.toMinutesPart(), "minute");
    add(words, rest.toSecondsPart(), "second");
    String said = String.join(" ", words);
    return words.size() == 1 && said.startsWith("1 ") ? said.substring(2) : said;
  }

  private static void add(List<String> words, long count, String unit) {
    if (count > 0) {
      words.add(count + " " + unit + (count == 1 ? "" : "s"));
    }
  }

  @Override
  public List<CronWarning> warnings() {
    return List.of();
  }

  @Override
  public ZoneId zone() {
    return zone;
  }

  @Override
  public Optional<Instant> next(Instant from) {
    long start = Math.max(ZoneSegments.BEGIN, from.getEpochSecond() + 1);
    long next = start + Math.floorMod(anchor - start, every);
    return next < ZoneSegments.END ? Optional.of(Instant.ofEpochSecond(next)) : Optional.empty();
  }

  @Override
  public long count(Instant after, Instant until) {
    long start = Math.max(ZoneSegments.BEGIN, after.getEpochSecond() + 1);
    long limit = Math.min(ZoneSegments.END, until.getEpochSecond() + 1);
    if (start >= limit) {
      return 0;
    }
    long first = start + Math.floorMod(anchor - start, every);
    return first >= limit ? 0 : (limit - 1 - first) / every + 1;
  }

  @Override
  public PlannedFire explain(Instant planned) {
    return PlannedFire.plain(planned, zone);
  }

  @Override
  public List<ClockChange> clockChanges(Instant after, Instant until) {
    return List.of();
  }
}
