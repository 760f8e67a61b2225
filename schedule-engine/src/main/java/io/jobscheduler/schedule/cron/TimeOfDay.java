package io.jobscheduler.schedule.cron;

/**
 * The times of day that second, minute and hour allow, in seconds since midnight.
 *
 * <p>Immutable.
 */
final class TimeOfDay {
  static final int NONE = -1;
  private static final int PER_MINUTE = 60;
  private static final int PER_HOUR = 3600;

  private final long seconds;
  private final long minutes;
  private final long hours;

  TimeOfDay(long seconds, long minutes, long hours) {
    this.seconds = seconds;
    this.minutes = minutes;
    this.hours = hours;
  }

  int first() {
    return time(lowest(hours), lowest(minutes), lowest(seconds));
  }

  int count() {
    return Long.bitCount(hours) * Long.bitCount(minutes) * Long.bitCount(seconds);
  }

  /** The first allowed time from {@code from} on, or {@link #NONE}. */
  int atOrAfter(int from) {
    int hour = from / PER_HOUR;
    int minute = from / PER_MINUTE % PER_MINUTE;
    if (has(hours, hour)) {
      if (has(minutes, minute)) {
        long left = seconds & -1L << (from % PER_MINUTE);
        if (left != 0) {
          return time(hour, minute, lowest(left));
        }
      }
      long left = minutes & -2L << minute;
      if (left != 0) {
        return time(hour, lowest(left), lowest(seconds));
      }
    }
    long left = hours & -2L << hour;
    return left == 0 ? NONE : time(lowest(left), lowest(minutes), lowest(seconds));
  }

  /** How many allowed times come before {@code end}. */
  int countBefore(int end) {
    int hour = end / PER_HOUR;
    int minute = end / PER_MINUTE % PER_MINUTE;
    int inMinute = below(seconds, end % PER_MINUTE);
    int perMinute = Long.bitCount(seconds);
    int inHour = below(minutes, minute) * perMinute + (has(minutes, minute) ? inMinute : 0);
    int perHour = Long.bitCount(minutes) * perMinute;
    return below(hours, hour) * perHour + (has(hours, hour) ? inHour : 0);
  }

  private static boolean has(long set, int bit) {
    return (set >>> bit & 1) != 0;
  }

  private static int below(long set, int bit) {
    return Long.bitCount(set & (1L << bit) - 1);
  }

  private static int lowest(long set) {
    return Long.numberOfTrailingZeros(set);
  }

  private static int time(int hour, int minute, int second) {
    return hour * PER_HOUR + minute * PER_MINUTE + second;
  }
}
