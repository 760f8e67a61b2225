package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule in full.
 *
 * @param summary what lists show, as members of the schedule itself
 * @param job what each fire makes, or
 * @param workflow what each fire submits
 * @param warnings what may surprise in its rule, daylight saving in the coming year included
 */
public record Schedule(
    @JsonUnwrapped ScheduleSummary summary,
    @Nullable JobTemplate job,
    @Nullable WorkflowTemplate workflow,
    List<Warning> warnings) {

  /** The same with warnings. */
  Schedule with(List<Warning> found) {
    return new Schedule(summary, job, workflow, found);
  }

  /** The same for a caller who may not see payloads. */
  Schedule withoutPayloads() {
    return new Schedule(
        summary,
        job == null ? null : job.withoutPayload(),
        workflow == null ? null : workflow.withoutPayloads(),
        warnings);
  }
}
