package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.Violations;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * What a list looks for in the rows themselves, since no index has it.
 *
 * @param createdAfter jobs made then or later
 * @param createdBefore jobs made before then
 * @param payload all of which must match
 */
public record JobSearch(
    @Nullable String tag,
    @Nullable Long worker,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore,
    List<PayloadMatch> payload) {

  static final JobSearch NONE = new JobSearch(null, null, null, null, List.of());

  /** Before the path in the names of the query parameters that look into payloads. */
  public static final String PAYLOAD = "payload.";

  private static final int MOST_PATHS = 5;
  private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * That the payload has {@code value} at a place.
   *
   * @param path names of members and numbers of elements (from 0), with dots between
   * @param value a string, or a number, true, false or null as it was typed
   */
  public record PayloadMatch(String path, String value) {}

  /**
   * Reads the query parameters.
   *
   * @param query all of them, of which those for payloads are taken
   * @throws io.jobscheduler.api.problem.ProblemException naming all that are wrong
   */
  public static JobSearch of(
      @Nullable String tag,
      @Nullable String worker,
      @Nullable String createdAfter,
      @Nullable String createdBefore,
      Map<String, List<String>> query) {
    Violations violations = new Violations();
    if (tag != null && !Fields.isName(tag)) {
      violations.add("?tag", "This is not a name.");
    }
    Long workerId = null;
    if (worker != null) {
      try {
        workerId = Long.valueOf(worker);
      } catch (NumberFormatException e) {
        violations.add("?worker", "Expected the id of a worker.");
      }
    }
    Instant after = instant("?createdAfter", createdAfter, violations);
    Instant before = instant("?createdBefore", createdBefore, violations);
    List<PayloadMatch> payload = new ArrayList<>();
    query.forEach(
        (name, values) -> {
          if (name.startsWith(PAYLOAD)) {
            payload.add(match(name, values.get(0), violations));
          }
        });
    if (payload.size() > MOST_PATHS) {
      violations.add("?" + PAYLOAD, "At most " + MOST_PATHS + " places may be asked for.");
    }
    violations.throwIfAny();
    return new JobSearch(tag, workerId, after, before, List.copyOf(payload));
  }

  private static PayloadMatch match(String name, String value, Violations violations) {
    String path = name.substring(PAYLOAD.length());
    if (!PayloadPath.isOne(path)) {
      violations.add(pointer(name), PayloadPath.EXPECTED);
    }
    if (value.indexOf('\0') >= 0) {
      violations.add(pointer(name), "No payload has a U+0000.");
    }
    return new PayloadMatch(path, value);
  }

  /** Which parameter it is, of one that is too long its beginning. */
  private static String pointer(String name) {
    int longest = PAYLOAD.length() + PayloadPath.LONGEST;
    if (name.length() <= longest) {
      return "?" + name;
    }
    boolean splits = Character.isHighSurrogate(name.charAt(longest - 1));
    return "?" + name.substring(0, splits ? longest - 1 : longest);
  }

  private static @Nullable Instant instant(
      String name, @Nullable String text, Violations violations) {
    if (text == null) {
      return null;
    }
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      if (!instant.isBefore(FIRST) && !instant.isAfter(LAST)) {
        return instant;
      }
    } catch (DateTimeException e) {
      // Falls through to the one answer.
    }
    violations.add(name, "Expected an instant with a zone, such as 2026-01-31T08:00:00Z.");
    return null;
  }

  boolean isEmpty() {
    return tag == null
        && worker == null
        && createdAfter == null
        && createdBefore == null
        && payload.isEmpty();
  }

  Query bindTo(Query query) {
    return query
        .bind("tag", tag)
        .bind("worker", worker)
        .bind("createdAfter", createdAfter == null ? null : createdAfter.toString())
        .bind("createdBefore", createdBefore == null ? null : createdBefore.toString())
        .bindArray("paths", String.class, payload.stream().map(PayloadMatch::path).toArray())
        .bindArray("values", String.class, payload.stream().map(PayloadMatch::value).toArray());
  }
}
