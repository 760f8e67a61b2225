package io.jobscheduler.worker.handlers;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How an attempt ended, in the handler's own words. An exception counts as {@link Retry}. */
public sealed interface JobOutcome {
  /** No retry waits longer, whatever is asked for: a year. */
  Duration LONGEST_WAIT = Duration.ofDays(365);

  /**
   * The job is done.
   *
   * @param result JSON text, or null for none
   */
  record Done(@Nullable String result) implements JobOutcome {}

  /**
   * The attempt failed; another may succeed. On the last attempt the job is dead.
   *
   * @param kind what failed, in kebab-case
   * @param message for people
   * @param after wait so long, at most {@link #LONGEST_WAIT}, or null for the job's own policy
   */
  record Retry(String kind, String message, @Nullable Duration after) implements JobOutcome {}

  /** No attempt can succeed: to the dead-letter queue. */
  record Dead(String kind, String message) implements JobOutcome {}

  /** The work is no longer wanted. */
  record Cancel(String reason) implements JobOutcome {}

  /**
   * Not yet: run it again later, as if this attempt had never been. A job may snooze for ever.
   *
   * @param after the wait, at most {@link #LONGEST_WAIT}; null when {@code until} is given
   * @param until the instant, by the database's clock; null when {@code after} is given
   */
  record Snooze(@Nullable Duration after, @Nullable Instant until) implements JobOutcome {}

  /** Not yet: again after that wait. */
  static JobOutcome snooze(Duration after) {
    return new Snooze(after, null);
  }

  /** Not yet: again at that instant. */
  static JobOutcome snooze(Instant until) {
    return new Snooze(null, until);
  }

  /** Done, without a result. */
  static JobOutcome done() {
    return new Done(null);
  }

  /** Done, with a result as JSON text. */
  static JobOutcome done(@Nullable String result) {
    return new Done(result);
  }
}
