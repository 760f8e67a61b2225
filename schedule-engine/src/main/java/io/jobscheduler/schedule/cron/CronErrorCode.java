package io.jobscheduler.schedule.cron;

/** Why a cron expression or a time zone was refused. The names are part of the API. */
public enum CronErrorCode {
  /** Nothing but blanks. */
  EMPTY,
  /** More than {@link CronExpression#MAX_LENGTH} characters. */
  TOO_LONG,
  /** Not as many fields as the dialect has. */
  FIELD_COUNT,
  /** A number outside its field's range. */
  OUT_OF_RANGE,
  /** Not an item of the grammar. */
  SYNTAX,
  /** A step of zero, below zero, or larger than the field's largest value. */
  STEP,
  /** A word where only a three-letter name of this field may stand. */
  NAME,
  /** Known in the 6-field form only. */
  DIALECT,
  /** Not one of the supported {@code @} words. */
  ALIAS,
  /** Not exactly one of day-of-month and day-of-week is {@code ?}. */
  QUESTION_MARK,
  /** A range that runs backwards where none may wrap: the year. */
  RANGE,
  /** Well formed, but no such date exists any more. */
  NEVER_FIRES,
  /** Not a time zone that a schedule may have. */
  ZONE
}
