package io.jobscheduler.worker.handlers;

import org.jspecify.annotations.Nullable;

/**
 * What a running attempt says of itself for people to read. Never waits and never fails: words are
 * gathered and written about once a second; those of the last second may be lost when the process
 * dies. Thread-safe.
 */
public interface AttemptNotes {
  /** How much a line matters. */
  enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }

  /** Keeps nothing. */
  AttemptNotes NONE =
      new AttemptNotes() {
        @Override
        public void log(Level level, @Nullable String message) {
          // Nobody reads it.
        }

        @Override
        public void progress(double fraction, @Nullable String message) {
          // Nobody reads it.
        }
      };

  /**
   * Adds a line, cut to 4,096 characters. Of an attempt the newest 10,000 lines, or the newest 1
   * MiB of text, are kept; of what is said in one second, the last 1,000 lines or 256 KiB.
   */
  void log(Level level, @Nullable String message);

  /**
   * How far the attempt has come; replaces what was said before.
   *
   * @param fraction of the work, 0 to 1; what lies outside counts as the nearer bound, NaN as not
   *     known
   * @param message cut to 1,000 characters, or null
   */
  void progress(double fraction, @Nullable String message);
}
