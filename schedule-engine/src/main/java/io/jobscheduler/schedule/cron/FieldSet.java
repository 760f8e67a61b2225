package io.jobscheduler.schedule.cron;

import java.util.BitSet;

/**
 * What one field allows: plain values, and the days that depend on the month. Days of the week
 * count from 0, Sunday, in every dialect.
 *
 * @param canonical the field in its canonical form
 * @param bare whether the field says nothing: {@code *}, {@code *}{@code /1} or {@code ?}
 * @param wild whether an item is {@code *}, or has a step without an end
 * @param values plain values
 * @param beforeLast n of each {@code L-n}; L is 0
 * @param lastWeekday whether {@code LW} is among the items
 * @param nearestWeekday n of each {@code nW}
 * @param lastOf weekday of each {@code nL}
 * @param nthOf weekday * 8 + k of each {@code n#k}
 */
record FieldSet(
    String canonical,
    boolean bare,
    boolean wild,
    BitSet values,
    BitSet beforeLast,
    boolean lastWeekday,
    BitSet nearestWeekday,
    BitSet lastOf,
    BitSet nthOf) {

  /** The plain values as a bit mask, bit n for value n; for fields below 64. */
  long mask() {
    return mask(values);
  }

  static long mask(BitSet values) {
    long[] words = values.toLongArray();
    return words.length == 0 ? 0 : words[0];
  }

  /** Whether the days depend on the month's length or first weekday. */
  boolean dependsOnMonth() {
    return lastWeekday
        || !beforeLast.isEmpty()
        || !nearestWeekday.isEmpty()
        || !lastOf.isEmpty()
        || !nthOf.isEmpty();
  }
}
