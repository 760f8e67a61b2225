package io.jobscheduler.worker.handlers;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The attempt failed, and whoever refused it said when to come back: the next attempt waits so
 * long, whatever the job's policy says, a year at most. Attempts are counted as for any failure.
 */
public final class RetryAfterException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MOST_DIGITS = 9;

  private final String kind;
  private final @Nullable Duration after;
  private final @Nullable Instant until;

  /** Again after that wait. */
  public RetryAfterException(String kind, String message, Duration after) {
    this(kind, message, after, null);
  }

  /** Again at that instant, by the database's clock. */
  public RetryAfterException(String kind, String message, Instant until) {
    this(kind, message, null, until);
  }

  private RetryAfterException(
      String kind, String message, @Nullable Duration after, @Nullable Instant until) {
    super(message);
    this.kind = kind;
    this.after = after;
    this.until = until;
  }

  /**
   * As an HTTP answer's {@code Retry-After} says: seconds or a date (RFC 9110, section 10.2.3).
   *
   * @param header the header's value; absent or unreadable, the job's own policy applies
   */
  public static RetryAfterException ofHeader(String kind, String message, @Nullable String header) {
    String value = header == null ? "" : header.strip();
    if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      // Beyond nine digits it is longer than any wait.
      long seconds = value.length() > MOST_DIGITS ? Integer.MAX_VALUE : Long.parseLong(value);
      return new RetryAfterException(kind, message, Duration.ofSeconds(seconds), null);
    }
    return new RetryAfterException(kind, message, null, date(value));
  }

  private static @Nullable Instant date(String value) {
    try {
      return Instant.from(
          DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT).parse(value));
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** What failed, in kebab-case. */
  public String kind() {
    return kind;
  }

  /** The wait, if that was given. */
  public @Nullable Duration after() {
    return after;
  }

  /** The instant, if that was given. */
  public @Nullable Instant until() {
    return until;
  }
}
