package io.jobscheduler.api.statistics;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.Violations;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * Which part of the history is asked for.
 *
 * @param from where a span starts
 * @param to where one ends
 */
public record HistoryRequest(
    Bucket bucket, Instant from, Instant to, @Nullable String queue, @Nullable String type) {

  /** Spans that one answer may hold: a day of minutes, two months of hours, four years of days. */
  static final int MOST_SPANS = 1_500;

  private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

  /**
   * Reads the query parameters.
   *
   * @param now where the history ends when nobody says
   * @throws io.jobscheduler.api.problem.ProblemException naming all that are wrong
   */
  public static HistoryRequest of(
      @Nullable String bucket,
      @Nullable String from,
      @Nullable String to,
      @Nullable String queue,
      @Nullable String type,
      Instant now) {
    Violations violations = new Violations();
    Bucket span = Bucket.of(bucket == null ? "minute" : bucket).orElse(null);
    if (span == null) {
      violations.add("?bucket", "Expected minute, hour or day.");
      span = Bucket.MINUTE;
    }
    Instant end = instant("?to", to, now, violations);
    Instant start = instant("?from", from, end.minus(span.shown()), violations);
    if (queue != null && !Fields.isName(queue)) {
      violations.add("?queue", "This is not a name.");
    }
    if (type != null && !Fields.isName(type)) {
      violations.add("?type", "This is not a name.");
    }
    start = span.startOf(start);
    end = span.endOf(end);
    if (!start.isBefore(end)) {
      violations.add("?from", "It must be before \"to\".");
    } else if ((end.getEpochSecond() - start.getEpochSecond()) / span.seconds() > MOST_SPANS) {
      violations.add(
          "?from", "These are over " + MOST_SPANS + " spans: ask for fewer, or for longer ones.");
    }
    violations.throwIfAny();
    return new HistoryRequest(span, start, end, queue, type);
  }

  private static Instant instant(
      String pointer, @Nullable String text, Instant otherwise, Violations violations) {
    if (text == null) {
      return otherwise;
    }
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      if (!instant.isBefore(FIRST) && !instant.isAfter(LAST)) {
        return instant;
      }
      violations.add(pointer, "It must be between 1970 and 9999.");
    } catch (DateTimeException e) {
      violations.add(pointer, "Expected a time such as 2026-01-31T08:00:00Z.");
    }
    return otherwise;
  }
}
