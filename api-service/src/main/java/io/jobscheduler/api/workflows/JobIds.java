package io.jobscheduler.api.workflows;

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
      violations.add(pointer, UNKNOWN);
      return null;
    }
  }

  /** Said alike of what is not there and of what belongs to another project. */
  static final String UNKNOWN = "The project has no such job.";
}
