package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Plans workflows that are not stored. */
@ApplicationScoped
class Planner {
  private static final int DEFAULT_SLOTS = 8;
  private static final int MOST_SLOTS = 10_000;

  private final Jdbi jdbi;
  private final Submitter submitter;

  Planner(Jdbi jdbi, Submitter submitter) {
    this.jdbi = jdbi;
    this.submitter = submitter;
  }

  /**
   * Reads {@code ?slots=}: 1 to 10,000, default 8.
   *
   * @throws ProblemException when it is something else
   */
  static int slots(@Nullable String text) {
    if (text == null) {
      return DEFAULT_SLOTS;
    }
    try {
      int slots = Integer.parseInt(text);
      if (slots >= 1 && slots <= MOST_SLOTS) {
        return slots;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one answer.
    }
    throw ProblemException.at(
        ProblemType.VALIDATION_FAILED,
        "?slots",
        "Expected a whole number from 1 to " + MOST_SLOTS + ".");
  }

  /**
   * The plan of a workflow that would be accepted.
   *
   * @throws ProblemException 422 with a cycle, or naming each unknown queue
   */
  WorkflowPlan plan(Grant grant, WorkflowRequest request, int slots) {
    Cycles.refuse(request);
    submitter.nameUnknownQueues(grant, request).throwIfAny();
    return Planning.plan(
        request,
        Durations.of(
            request.jobs(),
            jdbi.withHandle(h -> MeanRunTimes.of(h, grant.projectId(), request.jobs()))),
        slots);
  }
}
