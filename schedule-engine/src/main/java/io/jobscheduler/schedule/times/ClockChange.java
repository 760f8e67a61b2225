package io.jobscheduler.schedule.times;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A change of the clock that concerns a schedule.
 *
 * @param at when clocks are set
 * @param before what they would have shown then
 * @param after what they show from then on
 * @param first the first wall-clock time of the schedule that is skipped or comes twice
 * @param count how many such times there are
 * @param effect what becomes of them
 */
public record ClockChange(
    Instant at,
    LocalDateTime before,
    LocalDateTime after,
    LocalDateTime first,
    long count,
    Effect effect) {

  /** What becomes of the times that do not exist or come twice. The names are part of the API. */
  public enum Effect {
    /** They do not exist, and run once at the gap's end. */
    MOVED,
    /** They do not exist, and do not run. */
    DROPPED,
    /** They come twice, and run the first time only. */
    ONCE,
    /** They come twice, and run both times. */
    TWICE
  }

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);

  /** Returns the change in one sentence. */
  public String sentence(ZoneId zone) {
    String times = TIME.format(first) + (count == 1 ? "" : " (and " + (count - 1) + " more)");
    String where = " on " + first.toLocalDate() + " in " + zone + ": ";
    return switch (effect) {
      case MOVED -> times + " does not exist" + where + "that day it runs at " + TIME.format(after);
      case DROPPED -> times + " does not exist" + where + "it does not run then";
      case ONCE -> times + " comes twice" + where + "it runs the first time only";
      case TWICE -> times + " comes twice" + where + "it runs both times";
    };
  }
}
