package io.jobscheduler.schedule.cron;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for an expression or time zone that cannot be scheduled. The message is written for the
 * person who typed it.
 *
 * <p>Immutable.
 */
public final class CronSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CronErrorCode code;
  private final @Nullable CronField field;
  private final int position;
  private final String value;
  private final @Nullable String hint;

  CronSyntaxException(
      CronErrorCode code,
      @Nullable CronField field,
      int position,
      String value,
      String message,
      @Nullable String hint) {
    super(field == null ? message : field.label() + ": " + message, null, false, false);
    this.code = code;
    this.field = field;
    this.position = position;
    this.value = value;
    this.hint = hint;
  }

  /** Refuses a whole text that is not a field's fault. */
  static CronSyntaxException ofText(
      CronErrorCode code, String value, String message, @Nullable String hint) {
    return new CronSyntaxException(code, null, 0, value, message, hint);
  }

  /** Refuses a time zone. */
  public static CronSyntaxException ofZone(String zone, String message, @Nullable String hint) {
    return new CronSyntaxException(CronErrorCode.ZONE, null, 0, zone, message, hint);
  }

  /** Returns the reason. */
  public CronErrorCode code() {
    return code;
  }

  /** Returns the field's label, or {@code -} where no single field is wrong. */
  public String field() {
    return field == null ? "-" : field.label();
  }

  /** Returns where in the text, as typed, the wrong item starts; counted from 0 in characters. */
  public int position() {
    return position;
  }

  /** Returns the wrong item as typed. */
  public String value() {
    return value;
  }

  /** Returns what to write instead, where that can be said. */
  public Optional<String> hint() {
    return Optional.ofNullable(hint);
  }
}
