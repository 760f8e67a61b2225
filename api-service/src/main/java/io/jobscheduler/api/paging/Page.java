package io.jobscheduler.api.paging;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param items the rows
 * @param nextCursor where the next page begins; null on the last one
 * @param count how many rows all pages have
 */
public record Page<T>(List<T> items, @Nullable String nextCursor, Count count) {

  /**
   * Of rows read with one more than the limit, so that it is known whether another page follows.
   *
   * @param key the key of a row in the list's order
   */
  public static <T> Page<T> of(List<T> rows, int limit, Function<T, String> key, Count count) {
    if (rows.size() <= limit) {
      return new Page<>(rows, null, count);
    }
    List<T> items = List.copyOf(rows.subList(0, limit));
    return new Page<>(items, Cursor.after(key.apply(items.get(limit - 1))), count);
  }
}
