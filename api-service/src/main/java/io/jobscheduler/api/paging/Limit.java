package io.jobscheduler.api.paging;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import org.jspecify.annotations.Nullable;

/** The size of a page. */
public final class Limit {
  private static final int MOST = 200;
  private static final int DEFAULT = 50;

  private Limit() {}

  /**
   * Reads {@code ?limit=}: 1 to 200, default 50.
   *
   * @throws ProblemException when it is something else
   */
  public static int of(@Nullable String text) {
    if (text == null) {
      return DEFAULT;
    }
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= MOST) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one answer.
    }
    throw ProblemException.at(
        ProblemType.VALIDATION_FAILED, "?limit", "Expected a whole number from 1 to " + MOST + ".");
  }
}
