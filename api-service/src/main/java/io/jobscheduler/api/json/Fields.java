package io.jobscheduler.api.json;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Readers of the kinds of values that several requests share; each notes what does not fit. */
public final class Fields {
  // One rule for project, queue, type and workflow key: no slash, so patterns stay unambiguous.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
  private static final String NAME_RULE =
      "A name has 1 to 128 of the characters A-Z a-z 0-9 . _ : - and begins with a letter or digit.";

  private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  private Fields() {}

  /** Whether {@code text} is a name. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** A name; null when absent or, noted, none. */
  public static @Nullable String name(JsonReader in) {
    String text = in.string();
    if (text != null && !isName(text)) {
      in.reject(NAME_RULE);
      return null;
    }
    return text;
  }

  /** One of {@code choices}; {@code otherwise} when absent or, noted, none of them. */
  public static String oneOf(
      JsonReader in, Set<String> choices, String otherwise, String expected) {
    String given = in.string();
    if (given == null) {
      return otherwise;
    }
    if (!choices.contains(given)) {
      in.reject("Expected " + expected + ".");
      return otherwise;
    }
    return given;
  }

  /** A string of bounded length, in UTF-16 units; null when absent or, noted, too short or long. */
  public static @Nullable String text(JsonReader in, int least, int most) {
    String text = in.string();
    if (text != null && (text.length() < least || text.length() > most)) {
      in.reject("Expected " + least + " to " + most + " characters.");
      return null;
    }
    return text;
  }

  /** An ISO 8601 duration from zero to {@code most}; null when absent or, noted, none. */
  public static @Nullable Duration duration(JsonReader in, Duration most) {
    return duration(in, Duration.ZERO, most);
  }

  /** An ISO 8601 duration from {@code least} to {@code most}; null when absent or, noted, none. */
  public static @Nullable Duration duration(JsonReader in, Duration least, Duration most) {
    String text = in.string();
    if (text == null) {
      return null;
    }
    try {
      Duration duration = Duration.parse(text);
      if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
        return duration;
      }
    } catch (DateTimeException e) {
      // Falls through to the one rejection.
    }
    in.reject(
        "Expected an ISO 8601 duration such as PT30S, "
            + (least.isZero() ? "" : "at least " + least + " and ")
            + "at most "
            + most
            + ".");
    return null;
  }

  /**
   * An ISO 8601 instant with an offset, 1970 to 9999, in whole microseconds as Postgres keeps it;
   * null when absent or, noted, none.
   */
  public static @Nullable Instant instant(JsonReader in) {
    String text = in.string();
    if (text == null) {
      return null;
    }
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS);
      if (!instant.isBefore(FIRST) && !instant.isAfter(LAST)) {
        return instant;
      }
    } catch (DateTimeException e) {
      // Falls through to the one rejection.
    }
    in.reject("Expected an instant such as 2030-01-31T08:00:00Z.");
    return null;
  }
}
