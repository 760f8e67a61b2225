package io.jobscheduler.api.schedules;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entity tag of a schedule (RFC 9110, 8.8.3): which one, and its version of what people set. A
 * fire does not change it.
 */
final class Etag {
  private Etag() {}

  static String of(int id, int version) {
    return "\"" + id + "-" + version + "\"";
  }

  /**
   * Requires that one of the tags in {@code ifMatch} is {@code etag}; anything goes when it is
   * absent or {@code *}.
   *
   * @throws ProblemException 412
   */
  static void require(@Nullable String ifMatch, String etag) {
    if (ifMatch != null
        && Arrays.stream(ifMatch.split(",", -1))
            .map(String::strip)
            .noneMatch(t -> t.equals("*") || t.equals(etag))) {
      throw stale();
    }
  }

  static ProblemException stale() {
    return ProblemException.of(
        ProblemType.PRECONDITION_FAILED,
        "It is not as it was when you read it. Read it again, and repeat the change if it still"
            + " fits.");
  }
}
