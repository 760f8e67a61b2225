package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.handlers.RunningAttempt;
import io.jobscheduler.worker.settle.Settlement;

/** Runs the handler of one attempt on the calling thread and says how it ends. Thread-safe. */
@FunctionalInterface
public interface JobRun {
  /** Runs it. */
  Settlement run(ClaimedJob job, RunningAttempt running);
}
