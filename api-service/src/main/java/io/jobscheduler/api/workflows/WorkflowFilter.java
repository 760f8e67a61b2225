package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which workflows a list shows.
 *
 * @param state null for all
 * @param name null for all
 * @param createdAfter only those created then or later; null for all
 * @param createdBefore only those created earlier; null for all
 */
record WorkflowFilter(
    @Nullable String state,
    @Nullable String name,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore) {
  static final WorkflowFilter ALL = new WorkflowFilter(null, null, null, null);

  private static final Set<String> ENDED = Set.of("succeeded", "failed", "cancelled");
  private static final Set<String> LIVE = Set.of("running", "failing", "held");

  /**
   * Reads query parameters.
   *
   * @throws ProblemException when one of them cannot be one
   */
  static WorkflowFilter of(
      @Nullable String state,
      @Nullable String name,
      @Nullable String createdAfter,
      @Nullable String createdBefore) {
    if (state != null && !ENDED.contains(state) && !LIVE.contains(state)) {
      throw bad("?state", "Expected running, failing, held, succeeded, failed or cancelled.");
    }
    if (name != null && !Fields.isName(name)) {
      throw bad("?name", "No workflow can have this name.");
    }
    return new WorkflowFilter(
        state,
        name,
        instant("?createdAfter", createdAfter),
        instant("?createdBefore", createdBefore));
  }

  /** Whether it asks for a state in which a workflow stays. */
  boolean ended() {
    return state != null && ENDED.contains(state);
  }

  /** Whether it shows a workflow of that state. */
  boolean inState(@Nullable String its) {
    return state == null || state.equals(its);
  }

  private static @Nullable Instant instant(String parameter, @Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw bad(parameter, "Expected an instant such as 2030-01-31T08:00:00Z.");
    }
  }

  private static ProblemException bad(String parameter, String detail) {
    return ProblemException.at(ProblemType.VALIDATION_FAILED, parameter, detail);
  }
}
