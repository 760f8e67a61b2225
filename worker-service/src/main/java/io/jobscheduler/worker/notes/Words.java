package io.jobscheduler.worker.notes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was taken out of a book to be written.
 *
 * @param progress the newest, or null when there is none to write
 * @param gone older lines up to this number are too many; 0 when none are
 */
record Words(Book book, @Nullable Progress progress, List<Line> lines, int gone) {
  /**
   * How far an attempt has come.
   *
   * @param fraction 0 to 1, or null when not known
   */
  record Progress(@Nullable Double fraction, String message) {}
}
