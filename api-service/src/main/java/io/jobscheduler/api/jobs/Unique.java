package io.jobscheduler.api.jobs;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The key that a job asks to hold alone in its project.
 *
 * @param key 1 to 255 characters; of {@code fields}, {@code sha-256:} and the hash of their values
 * @param until how long it holds it
 * @param window from its acceptance on; only and always with {@link Until#WINDOW}
 * @param onConflict what happens when another job holds it
 */
public record Unique(String key, Until until, @Nullable Duration window, OnConflict onConflict) {
  /** How long a job holds its key. */
  public enum Until {
    /** Until its first attempt starts. */
    STARTED,
    /** Until it has ended, whatever the outcome. */
    FINISHED,
    /** For a time, whatever becomes of it. */
    WINDOW;

    /** As it is written in JSON and in the database. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What happens to a job whose key another one holds. */
  public enum OnConflict {
    /** The other one is the answer. */
    RETURN,
    /** It is refused. */
    REJECT,
    /** The other one is cancelled if it waits; else it is refused. */
    REPLACE;

    /** As it is written in JSON and in the database. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Nullable Long windowMillis() {
    return window == null ? null : window.toMillis();
  }
}
