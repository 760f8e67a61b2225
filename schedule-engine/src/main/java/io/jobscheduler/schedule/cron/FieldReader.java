package io.jobscheduler.schedule.cron;

import com.cronutils.model.field.constraint.FieldConstraintsBuilder;
import com.cronutils.model.field.expression.Always;
import com.cronutils.model.field.expression.Between;
import com.cronutils.model.field.expression.Every;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.model.field.expression.On;
import com.cronutils.parser.FieldParser;
import java.util.BitSet;
import java.util.TreeMap;

/**
 * Reads one field: its items by cron-utils, one at a time, so that a refusal can name the item.
 *
 * <p>cron-utils' own range checks are not used: they refuse or misread ranges that wrap.
 */
final class FieldReader {
  private static final FieldParser ITEMS =
      new FieldParser(
          FieldConstraintsBuilder.instance()
              .addLSupport()
              .addWSupport()
              .addLWSupport()
              .addHashSupport()
              .createConstraintsInstance());
  private static final int MOST_BEFORE_LAST = 30;
  private static final int MOST_WEEKS = 5;
  private static final int DAYS = 7;

  private final CronField field;
  private final CronDialect dialect;
  private final int smallest;
  private final int largest;

  private final BitSet values = new BitSet();
  private final BitSet beforeLast = new BitSet();
  private final BitSet nearestWeekday = new BitSet();
  private final BitSet lastOf = new BitSet();
  private final BitSet nthOf = new BitSet();
  private boolean lastWeekday;
  private boolean wild;

  private FieldReader(CronField field, CronDialect dialect) {
    this.field = field;
    this.dialect = dialect;
    this.smallest = field.smallest(dialect);
    this.largest = field.largest();
  }

  /** Reads {@code text}, which starts at {@code position} of the whole expression. */
  static FieldSet read(CronField field, CronDialect dialect, String text, int position) {
    FieldReader reader = new FieldReader(field, dialect);
    TreeMap<Integer, TreeMap<String, String>> ordered = new TreeMap<>();
    int start = position;
    for (String typed : text.split(",", -1)) {
      Refusal refusal = new Refusal(field, start, typed);
      String item = new ItemText(field, dialect, refusal).numbered(typed);
      String canonical = reader.add(item, refusal);
      ordered.computeIfAbsent(order(canonical), o -> new TreeMap<>()).put(canonical, canonical);
      start += typed.length() + 1;
    }
    StringBuilder canonical = new StringBuilder();
    ordered
        .values()
        .forEach(same -> same.keySet().forEach(item -> canonical.append(',').append(item)));
    return reader.set(canonical.substring(1));
  }

  /** A field that says nothing: {@code *} or {@code ?}. */
  static FieldSet unrestricted(CronField field, CronDialect dialect, String canonical) {
    FieldReader reader = new FieldReader(field, dialect);
    reader.addRange(reader.smallest, reader.most(), 1);
    return reader.set(canonical);
  }

  private FieldSet set(String canonical) {
    boolean bare = canonical.equals("*") || canonical.equals("?");
    return new FieldSet(
        canonical, bare, wild, values, beforeLast, lastWeekday, nearestWeekday, lastOf, nthOf);
  }

  /** Items stand in the order of their first number; those without one come first. */
  private static int order(String item) {
    int end = 0;
    while (end < item.length() && Character.isDigit(item.charAt(end))) {
      end++;
    }
    return end == 0 ? -1 : Integer.parseInt(item.substring(0, end));
  }

  private String add(String item, Refusal refusal) {
    checkStep(item, refusal);
    FieldExpression read = ITEMS.parse(item);
    if (read instanceof Always) {
      wild = true;
      addRange(smallest, most(), 1);
      return "*";
    } else if (read instanceof Every every) {
      return addEvery(every, refusal);
    } else if (read instanceof Between between) {
      return addBetween(between, 1, refusal);
    } else if (read instanceof On on) {
      return addOn(on, refusal);
    }
    throw refusal.of(CronErrorCode.SYNTAX, "'" + refusal.item() + "' cannot be read", null);
  }

  private void checkStep(String item, Refusal refusal) {
    int slash = item.indexOf('/');
    if (slash < 0) {
      return;
    }
    int step = Integer.parseInt(item.substring(slash + 1));
    if (step < 1) {
      throw refusal.of(CronErrorCode.STEP, "step " + step + " is smaller than 1", null);
    }
    if (step > largest) {
      String hint = instead();
      throw refusal.of(
          CronErrorCode.STEP,
          "step " + step + " is larger than " + largest + (hint.isEmpty() ? "" : "; use " + hint),
          hint.isEmpty() ? null : hint);
    }
  }

  private String instead() {
    boolean unix = dialect == CronDialect.UNIX;
    return switch (field) {
      case SECOND -> "`0 * * * * ?` for every minute";
      case MINUTE -> unix ? "`0 * * * *` for hourly" : "`0 0 * * * ?` for hourly";
      case HOUR -> unix ? "`0 0 * * *` for daily" : "`0 0 0 * * ?` for daily";
      default -> "";
    };
  }

  private String addEvery(Every every, Refusal refusal) {
    int step = every.getPeriod().getValue();
    if (every.getExpression() instanceof Between between) {
      return addBetween(between, step, refusal);
    }
    wild = true;
    if (every.getExpression() instanceof On on) {
      int typed = inRange(on.getTime().getValue(), refusal);
      // A week from Sunday to Saturday: 7 is Sunday here too, not the end of it.
      int from = field == CronField.DAY_OF_WEEK ? fromSunday(typed) : typed;
      addRange(from, largest, step);
      return from + "/" + step;
    }
    addRange(smallest, most(), step);
    return step == 1 ? "*" : "*/" + step;
  }

  private String addBetween(Between between, int step, Refusal refusal) {
    int from = inRange((Integer) between.getFrom().getValue(), refusal);
    int to = inRange((Integer) between.getTo().getValue(), refusal);
    if (from > to && field == CronField.YEAR) {
      throw refusal.of(CronErrorCode.RANGE, from + " is after " + to, to + "-" + from);
    }
    addRange(from, to, step);
    return from + "-" + to + (step == 1 ? "" : "/" + step);
  }

  private String addOn(On on, Refusal refusal) {
    int time = on.getTime().getValue();
    int nth = on.getNth().getValue();
    switch (on.getSpecialChar().getValue()) {
      case LW -> {
        lastWeekday = true;
        return "LW";
      }
      case W -> {
        nearestWeekday.set(inRange(time, refusal));
        return time + "W";
      }
      case HASH -> {
        int weekday = weekday(inRange(time, refusal));
        nthOf.set(weekday * 8 + within(nth, 1, MOST_WEEKS, refusal));
        return time + "#" + nth;
      }
      case L -> {
        return addLast(time, nth, refusal);
      }
      default -> {
        int value = inRange(time, refusal);
        addRange(value, value, 1);
        return Integer.toString(field == CronField.DAY_OF_WEEK ? fromSunday(value) : value);
      }
    }
  }

  private String addLast(int time, int nth, Refusal refusal) {
    if (field == CronField.DAY_OF_WEEK) {
      if (time < 0) {
        addRange(largest, largest, 1); // L alone is the week's last day, Saturday.
        return Integer.toString(largest);
      }
      lastOf.set(weekday(inRange(time, refusal)));
      return time + "L";
    }
    int before = nth < 0 ? 0 : within(nth, 0, MOST_BEFORE_LAST, refusal);
    beforeLast.set(before);
    return before == 0 ? "L" : "L-" + before;
  }

  /**
   * Adds every {@code step}-th value from {@code from} on; the sequence wraps at the field's end.
   */
  private void addRange(int from, int to, int step) {
    boolean sundayTwice = field == CronField.DAY_OF_WEEK && dialect == CronDialect.UNIX;
    // 7 as a start is Sunday at the beginning of the week, 7 as an end is Sunday after Saturday.
    int first = sundayTwice && from == DAYS && to < DAYS ? 0 : from;
    int last = first <= to ? to : to + most() - smallest + 1;
    int size = most() - smallest + 1;
    for (int value = first; value <= last; value += step) {
      int wrapped = value > largest ? value - size : value;
      values.set(field == CronField.DAY_OF_WEEK ? weekday(wrapped) : wrapped);
    }
  }

  /** The largest value that is not another name for a smaller one. */
  private int most() {
    return field == CronField.DAY_OF_WEEK && dialect == CronDialect.UNIX ? largest - 1 : largest;
  }

  private int weekday(int value) {
    return dialect == CronDialect.UNIX ? value % DAYS : value - 1;
  }

  private int fromSunday(int value) {
    return dialect == CronDialect.UNIX ? value % DAYS : value;
  }

  private int inRange(int value, Refusal refusal) {
    return within(value, smallest, largest, refusal);
  }

  private int within(int value, int least, int most, Refusal refusal) {
    if (value < least || value > most) {
      throw refusal.of(
          CronErrorCode.OUT_OF_RANGE, value + " is not between " + least + " and " + most, null);
    }
    return value;
  }
}
