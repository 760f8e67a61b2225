package io.jobscheduler.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A random expression together with what it means, worked out the slow and obvious way while it was
 * made up: the model that the engine is held against. It shares no code with it.
 */
public final class RandomCron {
  private final Random random;
  private final boolean quartz;
  private final Set<Integer> seconds = new TreeSet<>();
  private final Set<Integer> minutes = new TreeSet<>();
  private final Set<Integer> hours = new TreeSet<>();
  private final Set<Integer> months = new TreeSet<>();
  private final List<Predicate<LocalDate>> ofMonth = new ArrayList<>();
  private final List<Predicate<LocalDate>> ofWeek = new ArrayList<>();
  private final BitSet matchingMinutes = new BitSet();
  private final BitSet matchingMonths = new BitSet();
  private final String text;
  private boolean wild;
  private boolean anyOfMonth;
  private boolean anyOfWeek;

  /** Makes up a unix or quartz expression. */
  public RandomCron(Random random, boolean quartz) {
    this.random = random;
    this.quartz = quartz;
    List<String> fields = new ArrayList<>();
    if (quartz) {
      String field = random.nextInt(3) == 0 ? items(0, 59, seconds) : value(0, 59, seconds);
      wild = false;
      fields.add(field);
    } else {
      seconds.add(0);
    }
    fields.add(random.nextInt(3) == 0 ? items(0, 59, minutes) : value(0, 59, minutes));
    fields.add(random.nextInt(2) == 0 ? items(0, 23, hours) : value(0, 4, hours));
    boolean beats = wild || hours.size() == 24;
    days(fields);
    wild = beats;
    text = String.join(" ", fields);
    months.forEach(matchingMonths::set);
    for (int hour : hours) {
      minutes.forEach(minute -> matchingMinutes.set(hour * 60 + minute));
    }
  }

  private void days(List<String> fields) {
    int which = random.nextInt(quartz ? 2 : 4);
    anyOfMonth = which == 0 || which == 3;
    anyOfWeek = which == 1 || which == 3;
    String any = quartz ? "?" : "*";
    fields.add(anyOfMonth ? any : list(this::dayOfMonth));
    fields.add(random.nextInt(3) > 0 ? star(1, 12, months) : items(1, 12, months));
    fields.add(anyOfWeek ? any : list(this::dayOfWeek));
  }

  private static String star(int low, int high, Set<Integer> into) {
    for (int value = low; value <= high; value++) {
      into.add(value);
    }
    return "*";
  }

  private String list(Supplier<String> item) {
    List<String> items = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      items.add(item.get());
    }
    return String.join(",", items);
  }

  private String items(int low, int high, Set<Integer> into) {
    return list(() -> item(low, high, high - low + 1, into));
  }

  private String value(int low, int high, Set<Integer> into) {
    int value = low + random.nextInt(high - low + 1);
    into.add(value);
    return Integer.toString(value);
  }

  /** One plain item; values above {@code high} come round again after {@code size}. */
  private String item(int low, int high, int size, Set<Integer> into) {
    int from = low + random.nextInt(high - low + 1);
    int to = low + random.nextInt(high - low + 1);
    int step = 1 + random.nextInt(high - low);
    int form = random.nextInt(6);
    wild |= form < 3;
    switch (form) {
      case 0:
        return star(low, low + size - 1, into);
      case 1:
        add(low, low + size - 1, step, high, size, into);
        return "*/" + step;
      case 2:
        add(high - low == size && from == high ? low : from, high, step, high, size, into);
        return from + "/" + step;
      case 3:
        into.add(from);
        return Integer.toString(from);
      case 4:
        add(from, from <= to ? to : to + size, 1, high, size, into);
        return from + "-" + to;
      default:
        add(from, from <= to ? to : to + size, step, high, size, into);
        return from + "-" + to + "/" + step;
    }
  }

  private static void add(int from, int to, int step, int high, int size, Set<Integer> into) {
    for (int value = from; value <= to; value += step) {
      into.add(value > high ? value - size : value);
    }
  }

  private String dayOfMonth() {
    int n = 1 + random.nextInt(31);
    switch (quartz ? random.nextInt(6) : 5) {
      case 0:
        int before = random.nextInt(31);
        ofMonth.add(date -> date.getDayOfMonth() == date.lengthOfMonth() - before);
        return before == 0 ? "L" : "L-" + before;
      case 1:
        ofMonth.add(date -> isNearest(date, date.lengthOfMonth()));
        return "LW";
      case 2:
        ofMonth.add(date -> isNearest(date, n));
        return n + "W";
      default:
        Set<Integer> days = new TreeSet<>();
        String item = item(1, 31, 31, days);
        if (item.equals("*")) { // Bare: would turn the OR off, which is made up elsewhere.
          return "1-31" + also(ofMonth, date -> true);
        }
        if (item.equals("*/1")) {
          return "1-31" + also(ofMonth, date -> true);
        }
        ofMonth.add(date -> days.contains(date.getDayOfMonth()));
        return item;
    }
  }

  private static String also(List<Predicate<LocalDate>> days, Predicate<LocalDate> day) {
    days.add(day);
    return "";
  }

  /** Looks at all weekdays of the month and takes the one nearest to day n. */
  private static boolean isNearest(LocalDate date, int n) {
    if (n > date.lengthOfMonth()) {
      return false;
    }
    int best = 0;
    for (int day = 1; day <= date.lengthOfMonth(); day++) {
      boolean weekend = date.withDayOfMonth(day).getDayOfWeek().getValue() > 5;
      boolean nearer = best == 0 || Math.abs(day - n) < Math.abs(best - n);
      if (!weekend && nearer) {
        best = day;
      }
    }
    return date.getDayOfMonth() == best;
  }

  private String dayOfWeek() {
    int low = quartz ? 1 : 0;
    int n = low + random.nextInt(7);
    DayOfWeek day = DayOfWeek.of((n - low + 6) % 7 + 1);
    String name = random.nextBoolean() ? Integer.toString(n) : name(day);
    switch (quartz ? random.nextInt(5) : random.nextInt(2) + 3) {
      case 0:
        ofWeek.add(date -> date.equals(date.with(TemporalAdjusters.lastInMonth(day))));
        return name + "L";
      case 1:
        int k = 1 + random.nextInt(5);
        ofWeek.add(
            date -> date.getDayOfWeek() == day && date.get(ChronoField.ALIGNED_WEEK_OF_MONTH) == k);
        return name + "#" + k;
      case 2:
        ofWeek.add(date -> date.getDayOfWeek() == DayOfWeek.SATURDAY);
        return "L";
      case 3:
        ofWeek.add(date -> date.getDayOfWeek() == day);
        return name;
      default:
        Set<Integer> days = new TreeSet<>();
        String item = item(low, 7, 7, days);
        if (item.equals("*") || item.equals("*/1")) {
          return low + "-" + (low + 6) + also(ofWeek, date -> true);
        }
        Set<DayOfWeek> weekdays = new TreeSet<>();
        days.forEach(value -> weekdays.add(DayOfWeek.of((value - low + 6) % 7 + 1)));
        ofWeek.add(date -> weekdays.contains(date.getDayOfWeek()));
        return item;
    }
  }

  private String name(DayOfWeek day) {
    String name = day.name().substring(0, 3);
    return random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT);
  }

  /** Returns the expression. */
  public String text() {
    return text;
  }

  /** Returns whether it is of kind interval. */
  public boolean beats() {
    return wild;
  }

  /** Returns the seconds of each matching minute. */
  public Set<Integer> seconds() {
    return Collections.unmodifiableSet(seconds);
  }

  /** Returns whether the minute of the day matches, counted from 0. */
  public boolean matches(int minuteOfDay) {
    return matchingMinutes.get(minuteOfDay);
  }

  /** Returns whether the date matches. */
  public boolean matches(LocalDate date) {
    if (!matchingMonths.get(date.getMonthValue())) {
      return false;
    }
    if (anyOfMonth && anyOfWeek) {
      return true;
    }
    return !anyOfMonth && ofMonth.stream().anyMatch(day -> day.test(date))
        || !anyOfWeek && ofWeek.stream().anyMatch(day -> day.test(date));
  }
}
