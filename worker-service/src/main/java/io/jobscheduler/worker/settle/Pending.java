package io.jobscheduler.worker.settle;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.dispatch.Held;
import org.jspecify.annotations.Nullable;

/**
 * A settlement on its way into the record.
 *
 * @param held the lease in memory; null for one that only the record knows
 */
public record Pending(
    long jobId,
    long leaseToken,
    @Nullable Integer workflowId,
    Settlement settlement,
    @Nullable Held held) {

  /** The end of a lease in hand. */
  public static Pending of(Held held, Settlement settlement) {
    ClaimedJob job = held.job();
    return new Pending(job.id(), job.leaseToken(), job.workflowId(), settlement, held);
  }

  /** Gives back a lease that only the record knows. */
  public static Pending release(long jobId, long leaseToken, @Nullable Integer workflowId) {
    return new Pending(jobId, leaseToken, workflowId, Settlement.released(), null);
  }

  Pending with(Settlement other) {
    return new Pending(jobId, leaseToken, workflowId, other, held);
  }
}
