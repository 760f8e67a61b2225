package io.jobscheduler.schedule.cron;

/**
 * The days of a month that day-of-month and day-of-week allow together: the other one decides where
 * one says nothing, and a day that meets either of them where both do.
 *
 * <p>Immutable.
 */
final class DayRule {
  private static final int DAYS = 7;
  private static final int SATURDAY = 6;
  private static final int SUNDAY = 0;

  private final FieldSet ofMonth;
  private final FieldSet ofWeek;
  private final int plainDays;

  /** Bit d of entry f: day d of a month whose first day is weekday f has an allowed weekday. */
  private final int[] plainWeekdays = new int[DAYS];

  private final boolean simple;

  DayRule(FieldSet ofMonth, FieldSet ofWeek) {
    this.ofMonth = ofMonth;
    this.ofWeek = ofWeek;
    this.plainDays = (int) ofMonth.mask();
    this.simple = !ofMonth.dependsOnMonth() && !ofWeek.dependsOnMonth();
    for (int first = 0; first < DAYS; first++) {
      for (int day = 1; day <= CronField.DAY_OF_MONTH.largest(); day++) {
        if (ofWeek.values().get((first + day - 1) % DAYS)) {
          plainWeekdays[first] |= 1 << day;
        }
      }
    }
  }

  /** Whether a day counts that meets only one of the two fields. */
  boolean both() {
    return !ofMonth.bare() && !ofWeek.bare();
  }

  /** Returns the days of a month as a mask, bit d for day d; {@code firstDay} 0 is Sunday. */
  int days(int length, int firstDay) {
    int all = (int) ((1L << (length + 1)) - 2);
    int byMonth = plainDays;
    int byWeek = plainWeekdays[firstDay];
    if (!simple) {
      byMonth |= movingDays(length, firstDay);
      byWeek |= movingWeekdays(length, firstDay);
    }
    if (ofWeek.bare()) {
      return byMonth & all;
    }
    return (ofMonth.bare() ? byWeek : byWeek | byMonth) & all;
  }

  private int movingDays(int length, int firstDay) {
    int days = 0;
    for (int n = ofMonth.beforeLast().nextSetBit(0); n >= 0 && n < length; ) {
      days |= 1 << (length - n);
      n = ofMonth.beforeLast().nextSetBit(n + 1);
    }
    for (int day = ofMonth.nearestWeekday().nextSetBit(0); day >= 0 && day <= length; ) {
      days |= 1 << nearestWeekday(day, length, firstDay);
      day = ofMonth.nearestWeekday().nextSetBit(day + 1);
    }
    return ofMonth.lastWeekday() ? days | 1 << nearestWeekday(length, length, firstDay) : days;
  }

  /** The weekday, Monday to Friday, that is nearest to a day without leaving its month. */
  private static int nearestWeekday(int day, int length, int firstDay) {
    int weekday = (firstDay + day - 1) % DAYS;
    if (weekday == SATURDAY) {
      return day > 1 ? day - 1 : day + 2;
    }
    if (weekday == SUNDAY) {
      return day < length ? day + 1 : day - 2;
    }
    return day;
  }

  private int movingWeekdays(int length, int firstDay) {
    int days = 0;
    for (int weekday = 0; weekday < DAYS; weekday++) {
      int first = 1 + Math.floorMod(weekday - firstDay, DAYS);
      if (ofWeek.lastOf().get(weekday)) {
        days |= 1 << (first + (length - first) / DAYS * DAYS);
      }
      for (int k = 1, day = first; day <= length; k++, day += DAYS) {
        if (ofWeek.nthOf().get(weekday * 8 + k)) {
          days |= 1 << day;
        }
      }
    }
    return days;
  }
}
