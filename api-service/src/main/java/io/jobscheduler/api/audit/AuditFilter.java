package io.jobscheduler.api.audit;

import io.jobscheduler.api.problem.Violations;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Which entries a list shows; null: whichever.
 *
 * @param kind of the object
 * @param object its id; only with a kind
 * @param from the first instant
 * @param to the instant after the last
 */
record AuditFilter(
    @Nullable String actor,
    @Nullable String action,
    @Nullable String kind,
    @Nullable String object,
    @Nullable Instant from,
    @Nullable Instant to) {
  private static final int LONGEST = 400;
  private static final int LAST_YEAR = 9999;

  /**
   * Reads the query parameters.
   *
   * @throws io.jobscheduler.api.problem.ProblemException naming all that are wrong
   */
  static AuditFilter of(
      @Nullable String actor,
      @Nullable String action,
      @Nullable String object,
      @Nullable String from,
      @Nullable String to) {
    Violations violations = new Violations();
    text(violations, "?actor", actor);
    text(violations, "?action", action);
    text(violations, "?object", object);
    Instant first = instant(violations, "?from", from);
    Instant last = instant(violations, "?to", to);
    violations.throwIfAny();
    int slash = object == null ? -1 : object.indexOf('/');
    return new AuditFilter(
        actor,
        action,
        object == null || slash < 0 ? object : object.substring(0, slash),
        object == null || slash < 0 ? null : object.substring(slash + 1),
        first,
        last);
  }

  private static void text(Violations violations, String pointer, @Nullable String value) {
    if (value != null
        && (value.isEmpty() || value.length() > LONGEST || value.indexOf('\0') >= 0)) {
      violations.add(pointer, "Expected 1 to " + LONGEST + " characters.");
    }
  }

  private static @Nullable Instant instant(
      Violations violations, String pointer, @Nullable String value) {
    if (value == null) {
      return null;
    }
    try {
      OffsetDateTime at = OffsetDateTime.parse(value);
      if (at.getYear() >= 0 && at.getYear() <= LAST_YEAR) {
        return at.toInstant();
      }
    } catch (DateTimeParseException e) {
      // Falls through to the one answer.
    }
    violations.add(pointer, "Expected an instant such as 2030-01-31T08:00:00Z.");
    return null;
  }

  Query bindTo(Query query) {
    return query
        .bind("actor", actor)
        .bind("action", action)
        .bind("kind", kind)
        .bind("object", object)
        .bind("from", from)
        .bind("to", to);
  }
}
