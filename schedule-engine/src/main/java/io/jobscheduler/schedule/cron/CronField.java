package io.jobscheduler.schedule.cron;

import java.util.List;

/** A field of a cron expression, by the name that messages give it. */
public enum CronField {
  /** Second of the minute, 0 to 59. */
  SECOND("second", 0, 59, List.of()),
  /** Minute of the hour, 0 to 59. */
  MINUTE("minute", 0, 59, List.of()),
  /** Hour of the day, 0 to 23. */
  HOUR("hour", 0, 23, List.of()),
  /** Day of the month, 1 to 31. */
  DAY_OF_MONTH("day-of-month", 1, 31, List.of()),
  /** Month of the year, 1 to 12 or JAN to DEC. */
  MONTH(
      "month",
      1,
      12,
      List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
  /** Day of the week; numbered 0 to 7 in unix, 1 to 7 in quartz, SUN to SAT in both. */
  DAY_OF_WEEK("day-of-week", 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")),
  /** Year, 1970 to 2099. */
  YEAR("year", 1970, 2099, List.of());

  private final String label;
  private final int smallest;
  private final int largest;
  private final List<String> names;

  CronField(String label, int smallest, int largest, List<String> names) {
    this.label = label;
    this.smallest = smallest;
    this.largest = largest;
    this.names = names;
  }

  /** Returns the name used in messages and in the API, such as {@code day-of-month}. */
  public String label() {
    return label;
  }

  int smallest(CronDialect dialect) {
    return this == DAY_OF_WEEK && dialect == CronDialect.QUARTZ ? 1 : smallest;
  }

  int largest() {
    return largest;
  }

  /** The names this field knows, in the order of their values. */
  List<String> names() {
    return names;
  }

  /** The value of a name by its place in {@link #names}. */
  int valueOfName(int place, CronDialect dialect) {
    return place + smallest(dialect);
  }
}
