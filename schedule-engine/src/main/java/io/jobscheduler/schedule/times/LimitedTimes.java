package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronKind;
import io.jobscheduler.schedule.cron.CronWarning;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The planned times of another schedule that lie within limits. */
final class LimitedTimes implements ScheduleTimes {
  private static final int LARGEST_OFFSET = 18 * 3600;
  private static final long SECONDS_PER_DAY = 86_400;

  private final ScheduleTimes times;
  private final ScheduleLimits limits;

  /** Excluded stretches of time, first second to first second after; apart from each other. */
  private final TreeMap<Long, Long> excluded = new TreeMap<>();

  LimitedTimes(ScheduleTimes times, ScheduleLimits limits) {
    this.times = times;
    this.limits = limits;
    ZoneSegments segments = ZoneSegments.of(times.zone());
    limits.excluded().forEach(date -> exclude(date, segments));
  }

  /** A date is in pieces where clocks are set back over midnight. */
  private void exclude(LocalDate date, ZoneSegments segments) {
    long from = date.toEpochDay() * SECONDS_PER_DAY;
    long to = from + SECONDS_PER_DAY;
    int last = segments.at(to + LARGEST_OFFSET);
    for (int i = segments.at(from - LARGEST_OFFSET); i <= last; i++) {
      long start = Math.max(segments.start(i), from - segments.offset(i));
      long end = Math.min(segments.end(i), to - segments.offset(i));
      if (start < end) {
        excluded.put(start, end);
      }
    }
  }

  @Override
  public CronKind kind() {
    return times.kind();
  }

  @Override
  public String description() {
    return times.description();
  }

  @Override
  public List<CronWarning> warnings() {
    return times.warnings();
  }

  @Override
  public ZoneId zone() {
    return times.zone();
  }

  @Override
  public Optional<Instant> next(Instant from) {
    Optional<Instant> next = times.next(notBeforeStart(from));
    while (next.isPresent() && isExcluded(next.get())) {
      long end = excluded.floorEntry(next.get().getEpochSecond()).getValue();
      next = times.next(Instant.ofEpochSecond(end - 1));
    }
    return next.filter(
        planned -> limits.endAt().isEmpty() || planned.isBefore(limits.endAt().get()));
  }

  private boolean isExcluded(Instant planned) {
    var stretch = excluded.floorEntry(planned.getEpochSecond());
    return stretch != null && planned.getEpochSecond() < stretch.getValue();
  }

  @Override
  public long count(Instant after, Instant until) {
    Instant from = notBeforeStart(after);
    Instant to = notAfterEnd(until);
    long count = times.count(from, to);
    if (count == 0) {
      return 0;
    }
    long first = from.getEpochSecond() + 1;
    Long key = excluded.floorKey(first);
    for (var stretch :
        excluded.subMap(key == null ? first : key, true, to.getEpochSecond(), true).entrySet()) {
      long start = Math.max(first, stretch.getKey());
      long end = Math.min(to.getEpochSecond() + 1, stretch.getValue());
      if (start < end) {
        count -= times.count(Instant.ofEpochSecond(start - 1), Instant.ofEpochSecond(end - 1));
      }
    }
    return count;
  }

  /** Exclusive lower ends reach down to just before the start, which itself is included. */
  private Instant notBeforeStart(Instant after) {
    return limits.startAt().map(start -> start.minusNanos(1)).filter(after::isBefore).orElse(after);
  }

  private Instant notAfterEnd(Instant until) {
    return limits.endAt().map(end -> end.minusNanos(1)).filter(until::isAfter).orElse(until);
  }

  @Override
  public PlannedFire explain(Instant planned) {
    return times.explain(planned);
  }

  @Override
  public List<ClockChange> clockChanges(Instant after, Instant until) {
    List<ClockChange> changes = new ArrayList<>();
    Instant from = notBeforeStart(after);
    Instant to = notAfterEnd(until);
    if (from.isBefore(to)) {
      times.clockChanges(from, to).stream()
          .filter(change -> !limits.excluded().contains(change.first().toLocalDate()))
          .forEach(changes::add);
    }
    return changes;
  }
}
