package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.schedule.cron.CronDialect;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.IntervalTimes;
import io.jobscheduler.schedule.times.ScheduleLimits;
import io.jobscheduler.schedule.times.TimeZones;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the members of a body that say when a schedule fires. */
final class RuleReader {
  private final JsonReader in;
  private boolean faulty;
  private @Nullable String cron;
  private @Nullable CronDialect dialect;
  private @Nullable Duration every;
  private @Nullable Instant anchor;
  private String timeZone = "UTC";
  private @Nullable Instant startAt;
  private @Nullable Instant endAt;
  private final SortedSet<LocalDate> exclusions = new TreeSet<>();

  RuleReader(JsonReader in) {
    this.in = in;
  }

  /** Reads the value of {@code field} if it is one of a rule's; else reads nothing. */
  boolean take(String field) {
    int before = in.violations().count();
    boolean taken = read(field);
    faulty |= taken && in.violations().count() > before;
    return taken;
  }

  private boolean read(String field) {
    switch (field) {
      case "cron" -> cron = in.string();
      case "dialect" -> dialect = Words.read(in, CronDialect.class);
      case "every" -> every = readEvery();
      case "anchor" -> anchor = whole(Fields.instant(in), ChronoUnit.SECONDS);
      case "timeZone" -> {
        String given = in.string();
        timeZone = given == null ? timeZone : given;
      }
      // Milliseconds, as they are answered: what is read and sent back is no change.
      case "startAt" -> startAt = whole(Fields.instant(in), ChronoUnit.MILLIS);
      case "endAt" -> endAt = whole(Fields.instant(in), ChronoUnit.MILLIS);
      case "exclusions" -> readExclusions();
      default -> {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Instant whole(@Nullable Instant given, ChronoUnit unit) {
    return given == null ? null : given.truncatedTo(unit);
  }

  private @Nullable Duration readEvery() {
    Duration given = Fields.duration(in, IntervalTimes.SHORTEST, IntervalTimes.LONGEST);
    if (given != null && given.getNano() != 0) {
      in.reject("Expected whole seconds.");
      return null;
    }
    return given;
  }

  private void readExclusions() {
    if (!in.startArray()) {
      return;
    }
    int items = 0;
    while (in.nextItem()) {
      items++;
      String text = in.string();
      if (text != null && items <= ScheduleLimits.MOST_EXCLUDED) {
        try {
          exclusions.add(LocalDate.parse(text));
        } catch (DateTimeException e) {
          in.reject("Expected a date such as 2030-12-24.");
        }
      }
    }
    if (items > ScheduleLimits.MOST_EXCLUDED) {
      in.violations()
          .add(
              in.pointer(),
              "Expected at most " + ScheduleLimits.MOST_EXCLUDED + " dates, not " + items + ".");
    }
  }

  /** The rule, at the end of its object; null when, noted, it is none. */
  @Nullable ScheduleRule finish() {
    String at = in.pointer();
    int before = in.violations().count();
    if (cron == null && every == null && !faulty) {
      in.violations().add(at + "/cron", "Give either cron or every.");
    }
    if (cron != null && every != null) {
      in.violations().add(at + "/every", "Give either cron or every, not both.");
    }
    if (cron == null && every != null && dialect != null) {
      in.violations().add(at + "/dialect", "Only cron has a dialect.");
    }
    if (cron != null && every == null && anchor != null) {
      in.violations().add(at + "/anchor", "Only every has an anchor.");
    }
    if (startAt != null && endAt != null && !endAt.isAfter(startAt)) {
      in.violations().add(at + "/endAt", "It must lie after startAt.");
    }
    try {
      TimeZones.parse(timeZone);
    } catch (CronSyntaxException e) {
      in.violations().add(fault(at + "/timeZone", e));
    }
    if (cron != null) {
      try {
        dialect =
            (dialect == null ? CronExpression.parse(cron) : CronExpression.parse(cron, dialect))
                .dialect();
      } catch (CronSyntaxException e) {
        in.violations().add(fault(at + "/cron", e));
      }
    }
    if (in.violations().count() > before || cron == null && every == null) {
      return null;
    }
    return new ScheduleRule(
        cron,
        dialect,
        every,
        every == null || anchor != null ? anchor : defaultAnchor(),
        timeZone,
        startAt,
        endAt,
        Collections.unmodifiableSortedSet(exclusions));
  }

  /** A beat that does not depend on when it was typed, so that typing it again changes nothing. */
  private Instant defaultAnchor() {
    return startAt == null ? Instant.EPOCH : startAt.truncatedTo(ChronoUnit.SECONDS);
  }

  /** What the engine refuses, as a member of the answer. */
  static FieldError fault(String pointer, CronSyntaxException e) {
    return new FieldError(
        pointer,
        String.valueOf(e.getMessage()),
        e.code().name(),
        e.field(),
        e.position(),
        e.value(),
        e.hint().orElse(null));
  }
}
