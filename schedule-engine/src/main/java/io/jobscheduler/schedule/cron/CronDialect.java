package io.jobscheduler.schedule.cron;

import java.util.List;

/** Which fields an expression has, and how the days of the week are numbered. */
public enum CronDialect {
  /** Five fields: minute hour day-of-month month day-of-week, with Sunday as 0 or 7. */
  UNIX(
      List.of(
          CronField.MINUTE,
          CronField.HOUR,
          CronField.DAY_OF_MONTH,
          CronField.MONTH,
          CronField.DAY_OF_WEEK)),
  /**
   * Six or seven fields: second minute hour day-of-month month day-of-week [year], with Sunday as
   * 1.
   */
  QUARTZ(
      List.of(
          CronField.SECOND,
          CronField.MINUTE,
          CronField.HOUR,
          CronField.DAY_OF_MONTH,
          CronField.MONTH,
          CronField.DAY_OF_WEEK,
          CronField.YEAR));

  private final List<CronField> fields;

  CronDialect(List<CronField> fields) {
    this.fields = fields;
  }

  List<CronField> fields() {
    return fields;
  }

  /** Whether an expression of this dialect may have that many fields. */
  boolean takes(int count) {
    return count == fields.size() || this == QUARTZ && count == fields.size() - 1;
  }
}
