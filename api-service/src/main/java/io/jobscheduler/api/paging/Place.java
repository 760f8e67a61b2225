package io.jobscheduler.api.paging;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where a page begins in a list by an instant and an id, newest first: after the row of this
 * instant, in microseconds since the epoch, with that id.
 */
public record Place(long micros, long id) {
  /** Before all rows: the greatest instant that no overflow makes of. */
  public static final Place FIRST = new Place(Long.MAX_VALUE / 1_000, Long.MAX_VALUE);

  /**
   * The place in a cursor; {@link #FIRST} when none was given.
   *
   * @throws io.jobscheduler.api.problem.ProblemException when it is not one of ours
   */
  public static Place of(@Nullable String cursor) {
    String key = Cursor.name(cursor);
    int colon = key.indexOf(':');
    if (key.isEmpty()) {
      return FIRST;
    }
    try {
      return new Place(
          Long.parseLong(key.substring(0, Math.max(colon, 0))),
          Long.parseLong(key.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw Cursor.bad();
    }
  }

  /** Its key, for {@link Cursor#after}. */
  public String key() {
    return micros + ":" + id;
  }

  /** Microseconds since the epoch. */
  public static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }
}
