package io.jobscheduler.schedule.cron;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Says in English what an expression means, from the compiled sets and not from its text, so that
 * it cannot say anything else than what runs.
 */
final class Description {
  private static final int MOST_TIMES = 6;

  private final CronFields fields;

  private Description(CronFields fields) {
    this.fields = fields;
  }

  static String of(CronFields fields) {
    Description description = new Description(fields);
    return description.times() + description.days() + description.months() + description.years();
  }

  private BitSet values(CronField field) {
    return fields.get(field).values();
  }

  private boolean all(CronField field) {
    return values(field).cardinality() == field.largest() + 1;
  }

  private boolean zeroSeconds() {
    return values(CronField.SECOND).length() == 1;
  }

  private boolean fewTimes() {
    return values(CronField.HOUR).cardinality()
            * values(CronField.MINUTE).cardinality()
            * values(CronField.SECOND).cardinality()
        <= MOST_TIMES;
  }

  private String times() {
    if (fewTimes()) {
      return "at " + DayWords.join(listedTimes());
    }
    List<String> words = new ArrayList<>();
    boolean beating = zeroSeconds();
    if (!beating) {
      words.add(beat(CronField.SECOND, true));
    }
    if (beating || !all(CronField.MINUTE)) {
      words.add(beat(CronField.MINUTE, beating));
    }
    String hours = hours();
    return String.join(" of ", words) + (hours.isEmpty() ? "" : " " + hours);
  }

  private List<String> listedTimes() {
    List<String> times = new ArrayList<>();
    values(CronField.HOUR).stream()
        .forEach(
            hour ->
                values(CronField.MINUTE).stream()
                    .forEach(
                        minute ->
                            values(CronField.SECOND).stream()
                                .forEach(second -> times.add(time(hour, minute, second)))));
    return times;
  }

  private String time(int hour, int minute, int second) {
    return zeroSeconds()
        ? "%02d:%02d".formatted(hour, minute)
        : "%02d:%02d:%02d".formatted(hour, minute, second);
  }

  /** Every n-th of a field if the step divides it, else the values one by one. */
  private String beat(CronField field, boolean leads) {
    BitSet values = values(field);
    String unit = field.label();
    if (all(field)) {
      return "every " + unit;
    }
    int step = values.cardinality() < 2 ? 0 : values.nextSetBit(1) - values.nextSetBit(0);
    boolean even = step > 1 && (field.largest() + 1) % step == 0 && isEvery(step, field);
    if (even && leads) {
      return "every " + step + " " + unit + "s";
    }
    String plural = values.cardinality() == 1 ? " " : "s ";
    return (leads ? "at " : "")
        + unit
        + plural
        + DayWords.join(DayWords.runs(values, Integer::toString));
  }

  private boolean isEvery(int step, CronField field) {
    BitSet values = values(field);
    return values.get(0)
        && values.cardinality() == (field.largest() + 1) / step
        && values.stream().allMatch(value -> value % step == 0);
  }

  private String hours() {
    BitSet hours = values(CronField.HOUR);
    if (all(CronField.HOUR)) {
      return all(CronField.MINUTE) || zeroSeconds() && isEveryMinutes() ? "" : "of every hour";
    }
    String plural = hours.cardinality() == 1 ? "hour " : "hours ";
    return "in " + plural + DayWords.join(DayWords.runs(hours, Integer::toString));
  }

  private boolean isEveryMinutes() {
    return beat(CronField.MINUTE, true).startsWith("every");
  }

  private String days() {
    FieldSet ofMonth = fields.get(CronField.DAY_OF_MONTH);
    FieldSet ofWeek = fields.get(CronField.DAY_OF_WEEK);
    if (ofMonth.bare() && ofWeek.bare()) {
      return fewTimes() ? " every day" : "";
    }
    if (ofWeek.bare()) {
      return " on " + DayWords.ofMonth(ofMonth);
    }
    String week = DayWords.ofWeek(ofWeek);
    return ofMonth.bare()
        ? " on " + week
        : " on " + DayWords.ofMonth(ofMonth) + " and also on " + week;
  }

  private String months() {
    BitSet months = values(CronField.MONTH);
    return months.cardinality() == 12 ? "" : " in " + DayWords.months(months);
  }

  private String years() {
    FieldSet years = fields.get(CronField.YEAR);
    if (years.bare()) {
      return "";
    }
    List<String> runs = DayWords.runs(years.values(), Integer::toString);
    return runs.size() > MOST_TIMES
        ? " in the years " + years.canonical()
        : " in " + DayWords.join(runs);
  }
}
