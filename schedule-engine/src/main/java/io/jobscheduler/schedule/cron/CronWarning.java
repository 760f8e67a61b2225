package io.jobscheduler.schedule.cron;

/**
 * Something that is allowed but often not meant.
 *
 * @param code what kind of surprise
 * @param message the surprise in words, written for the person who typed the schedule
 */
public record CronWarning(Code code, String message) {

  /** The kinds of surprise. The names are part of the API. */
  public enum Code {
    /** Day-of-month and day-of-week are both restricted: a day that meets either of them counts. */
    BOTH_DAYS,
    /** A step that does not divide its field: the last distance is shorter than the others. */
    UNEVEN_STEP,
    /** Daylight saving moves, drops or repeats a run in the coming year. */
    DST
  }
}
