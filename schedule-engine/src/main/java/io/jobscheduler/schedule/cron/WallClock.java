package io.jobscheduler.schedule.cron;

import java.time.LocalDate;
import java.util.BitSet;

/**
 * The wall-clock times that an expression means, without any zone. A time is given as the seconds
 * that a UTC clock showing it would have counted since 1970.
 *
 * <p>Immutable. A search looks at each month once, so its cost is bounded by the months between its
 * ends, about 10 ns each.
 */
public final class WallClock {
  /** Returned where no time is left; later than any. */
  public static final long NONE = Long.MAX_VALUE;

  private static final int PER_DAY = 86_400;
  private static final int MONTHS = 12;

  private final TimeOfDay times;
  private final int firstTime;
  private final DayRule days;
  private final int months;
  private final BitSet years;
  private final boolean everyYear;

  WallClock(TimeOfDay times, DayRule days, FieldSet months, FieldSet years) {
    this.times = times;
    this.firstTime = times.first();
    this.days = days;
    this.months = (int) months.mask();
    this.years = years.values();
    this.everyYear = years.bare();
  }

  /** Returns the first time in {@code [from, end)}, or {@link #NONE}. */
  public long first(long from, long end) {
    if (from >= end) {
      return NONE;
    }
    Month month = new Month(Math.floorDiv(from, PER_DAY));
    int rest = month.allowed() & -1 << month.day;
    if ((rest >>> month.day & 1) != 0) {
      int time = times.atOrAfter((int) Math.floorMod(from, PER_DAY));
      if (time != TimeOfDay.NONE) {
        return before(end, month.at(month.day) + time);
      }
      rest &= -2 << month.day;
    }
    while (rest == 0) {
      month.next();
      if (month.at(1) >= end) {
        return NONE;
      }
      rest = month.allowed();
    }
    return before(end, month.at(Integer.numberOfTrailingZeros(rest)) + firstTime);
  }

  /** Returns whether the expression means this time. */
  public boolean contains(long time) {
    return first(time, time + 1) == time;
  }

  /** Returns how many times lie in {@code [from, end)}. */
  public long count(long from, long end) {
    if (from >= end) {
      return 0;
    }
    Month month = new Month(Math.floorDiv(from, PER_DAY));
    long lastDay = Math.floorDiv(end, PER_DAY);
    long whole = 0;
    int allowed = month.allowed();
    int rest = allowed & -1 << month.day;
    long count =
        (allowed >>> month.day & 1) == 0
            ? 0
            : -times.countBefore((int) Math.floorMod(from, PER_DAY));
    while (month.start + month.length <= lastDay) {
      whole += Integer.bitCount(rest);
      month.next();
      allowed = month.allowed();
      rest = allowed;
    }
    int day = (int) (lastDay - month.start) + 1;
    whole += Integer.bitCount(rest & ~(-1 << day));
    if ((allowed >>> day & 1) != 0) {
      count += times.countBefore((int) Math.floorMod(end, PER_DAY));
    }
    return count + whole * times.count();
  }

  private static long before(long end, long time) {
    return time < end ? time : NONE;
  }

  /** A month that moves on; days of the epoch are found by adding lengths. */
  private final class Month {
    private int year;
    private int number;
    private final int day;
    private long start;
    private int length;

    Month(long epochDay) {
      LocalDate date = LocalDate.ofEpochDay(epochDay);
      year = date.getYear();
      number = date.getMonthValue();
      day = date.getDayOfMonth();
      start = epochDay - day + 1;
      length = date.lengthOfMonth();
    }

    void next() {
      start += length;
      if (number == MONTHS) {
        number = 1;
        year++;
      } else {
        number++;
      }
      length = length(year, number);
    }

    int allowed() {
      if ((months >>> number & 1) == 0 || !everyYear && !years.get(year)) {
        return 0;
      }
      return days.days(length, Math.floorMod(start + 4, 7)); // 1 January 1970 was a Thursday.
    }

    long at(int dayOfMonth) {
      return (start + dayOfMonth - 1) * PER_DAY;
    }

    private static int length(int year, int month) {
      return switch (month) {
        case 4, 6, 9, 11 -> 30;
        case 2 -> (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
        default -> 31;
      };
    }
  }
}
