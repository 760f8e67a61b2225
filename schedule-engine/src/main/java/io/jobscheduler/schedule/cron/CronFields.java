package io.jobscheduler.schedule.cron;

import java.util.Map;
import java.util.Objects;

/** All fields of an expression; those that its text does not have say what the dialect implies. */
record CronFields(
    FieldSet second,
    FieldSet minute,
    FieldSet hour,
    FieldSet dayOfMonth,
    FieldSet month,
    FieldSet dayOfWeek,
    FieldSet year) {

  static CronFields of(Map<CronField, FieldSet> read) {
    return new CronFields(
        Objects.requireNonNull(read.get(CronField.SECOND)),
        Objects.requireNonNull(read.get(CronField.MINUTE)),
        Objects.requireNonNull(read.get(CronField.HOUR)),
        Objects.requireNonNull(read.get(CronField.DAY_OF_MONTH)),
        Objects.requireNonNull(read.get(CronField.MONTH)),
        Objects.requireNonNull(read.get(CronField.DAY_OF_WEEK)),
        Objects.requireNonNull(read.get(CronField.YEAR)));
  }

  FieldSet get(CronField field) {
    return switch (field) {
      case SECOND -> second;
      case MINUTE -> minute;
      case HOUR -> hour;
      case DAY_OF_MONTH -> dayOfMonth;
      case MONTH -> month;
      case DAY_OF_WEEK -> dayOfWeek;
      case YEAR -> year;
    };
  }
}
