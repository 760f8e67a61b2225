package io.jobscheduler.schedule.cron;

import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Words for days, months and lists of them. */
final class DayWords {
  private static final List<String> WEEKDAYS =
      List.of("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday");

  private DayWords() {}

  static String bothDays(FieldSet ofMonth, FieldSet ofWeek) {
    return "runs on "
        + ofMonth(ofMonth)
        + " and also on "
        + ofWeek(ofWeek)
        + ", not only on days that are both";
  }

  static String month(int month) {
    return Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  static String months(BitSet months) {
    return join(runs(months, DayWords::month));
  }

  /** The days of the month, such as {@code day 1, day 15 and the last day of the month}. */
  static String ofMonth(FieldSet days) {
    List<String> words = new ArrayList<>();
    if (!days.values().isEmpty()) {
      String plain = join(runs(days.values(), Integer::toString));
      words.add((days.values().cardinality() == 1 ? "day " : "days ") + plain + " of the month");
    }
    days.nearestWeekday().stream()
        .forEach(day -> words.add("the weekday nearest to day " + day + " of the month"));
    days.beforeLast().stream().forEach(n -> words.add(beforeLast(n)));
    if (days.lastWeekday()) {
      words.add("the last weekday of the month");
    }
    return join(words);
  }

  private static String beforeLast(int n) {
    return switch (n) {
      case 0 -> "the last day of the month";
      case 1 -> "the day before the last day of the month";
      default -> n + " days before the last day of the month";
    };
  }

  /** The days of the week, such as {@code Monday to Friday and the last Sunday of the month}. */
  static String ofWeek(FieldSet days) {
    List<String> words = new ArrayList<>(weekdays(days.values()));
    days.nthOf().stream()
        .forEach(
            bit ->
                words.add(
                    "the " + ordinal(bit % 8) + " " + WEEKDAYS.get(bit / 8) + " of the month"));
    days.lastOf().stream()
        .forEach(day -> words.add("the last " + WEEKDAYS.get(day) + " of the month"));
    return join(words);
  }

  /** A week has no end, so Saturday to Monday is one run. */
  private static List<String> weekdays(BitSet days) {
    if (days.cardinality() == 7 || days.isEmpty()) {
      return days.isEmpty() ? List.of() : List.of("every day of the week");
    }
    int gap = days.nextClearBit(0);
    BitSet turned = new BitSet();
    days.stream().forEach(day -> turned.set(Math.floorMod(day - gap, 7)));
    List<String> words = runs(turned, day -> WEEKDAYS.get((day + gap) % 7));
    return words;
  }

  static String ordinal(int n) {
    return switch (n) {
      case 1 -> "1st";
      case 2 -> "2nd";
      case 3 -> "3rd";
      default -> n + "th";
    };
  }

  /** Names values, three or more in a row as {@code a to b}. */
  static List<String> runs(BitSet values, IntFunction<String> name) {
    List<String> words = new ArrayList<>();
    for (int from = values.nextSetBit(0); from >= 0; ) {
      int to = values.nextClearBit(from) - 1;
      if (to - from >= 2) {
        words.add(name.apply(from) + " to " + name.apply(to));
      } else {
        for (int value = from; value <= to; value++) {
          words.add(name.apply(value));
        }
      }
      from = values.nextSetBit(to + 1);
    }
    return words;
  }

  static String join(List<String> words) {
    int last = words.size() - 1;
    return last < 1
        ? String.join("", words)
        : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
  }
}
