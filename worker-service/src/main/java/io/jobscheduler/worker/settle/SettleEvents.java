package io.jobscheduler.worker.settle;

import java.util.List;

/** Who is told what a settle has done. Must not block. */
public interface SettleEvents extends ReadyEvents {
  /**
   * These attempts have ended, in the record or because the lease was lost; their leases are not
   * ours any more.
   */
  void ended(List<Pending> ended);

  /** This job waits for its retry. */
  void retryIn(long jobId, long nanos);

  /**
   * A settle failed and may have happened: what it made ready was announced to nobody. It is
   * repeated, but a repetition tells of no children.
   */
  void unknownOutcome();

  /** Among what was settled were jobs that others may depend on. */
  void dependentsMayWait();
}
