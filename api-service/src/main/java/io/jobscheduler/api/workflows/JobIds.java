package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.Need;
import io.jobscheduler.api.problem.Violations;
import org.jspecify.annotations.Nullable;

/** Ids of jobs inside a body: numbers written as strings. */
final class JobIds {
  private JobIds() {}

  /** The id; null when, noted, it is none. */
  static @Nullable Long read(Violations violations, String pointer, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      violations.add(pointer, Need.UNKNOWN);
      return null;
    }
  }
}
