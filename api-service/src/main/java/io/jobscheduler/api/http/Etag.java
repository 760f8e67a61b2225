package io.jobscheduler.api.http;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entity tags (RFC 9110, 8.8.3): which thing, and its version of what people set. What changes by
 * itself, such as counts or a fire, is no part of them. Who edits compares under the lock of the
 * row that it changes, so of two edits of one version one passes.
 */
public final class Etag {
  private Etag() {}

  public static String of(long id, long version) {
    return "\"" + id + "-" + version + "\"";
  }

  /**
   * Requires that one of the tags in {@code ifMatch} is {@code etag} (RFC 9110, 13.1.1); anything
   * goes when it is absent or {@code *}.
   *
   * @throws ProblemException 412
   */
  public static void require(@Nullable String ifMatch, String etag) {
    if (ifMatch != null
        && Arrays.stream(ifMatch.split(",", -1))
            .map(String::strip)
            .noneMatch(t -> t.equals("*") || t.equals(etag))) {
      throw stale();
    }
  }

  /** What is answered when it does not fit, or when what it is of is not there to be replaced. */
  public static ProblemException stale() {
    return ProblemException.of(
        ProblemType.PRECONDITION_FAILED,
        "It is not as it was when you read it. Read it again, and repeat the change if it still"
            + " fits.");
  }
}
