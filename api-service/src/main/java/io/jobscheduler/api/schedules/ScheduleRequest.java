package io.jobscheduler.api.schedules;

import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.workflows.WorkflowRequest;
import io.jobscheduler.schedule.misfire.MisfireRule;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as somebody wants it, valid in itself. Either {@code job} or {@code workflow} is
 * there.
 *
 * @param name null: the one in the path
 * @param queueBound see {@link Overlap#bound}
 * @param startWithin of {@code job}
 */
record ScheduleRequest(
    @Nullable String name,
    @Nullable String description,
    ScheduleRule rule,
    @Nullable Integer maxRuns,
    Duration jitter,
    MisfireRule misfire,
    OverlapPolicy overlap,
    int queueBound,
    @Nullable Integer autoPauseAfter,
    @Nullable JobRequest job,
    @Nullable Duration startWithin,
    @Nullable WorkflowRequest workflow) {

  /** The queues that its jobs go to. */
  Set<String> queues() {
    return job != null
        ? Set.of(job.queue())
        : workflow == null
            ? Set.of()
            : workflow.jobs().stream()
                .map(m -> m.job().queue())
                .collect(Collectors.toUnmodifiableSet());
  }
}
