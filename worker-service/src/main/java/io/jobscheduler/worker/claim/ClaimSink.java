package io.jobscheduler.worker.claim;

import io.jobscheduler.worker.dispatch.Held;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the claimer does with what it gets. Called on the claimer's thread; must not block. */
public interface ClaimSink {
  /** Jobs were claimed and stand in memory; false when none may start any more. */
  boolean dispatch(List<Held> claimed);

  /** A lease by the record that nobody remembers: give it back. */
  void release(long jobId, long leaseToken, @Nullable Integer workflowId);

  /** A remembered lease that the record does not know: stop its job. */
  void revoked(Held held);

  /**
   * A job of that limited queue has ended, and this worker does not ask for another: whoever has a
   * free slot should.
   */
  void room(int queueId);

  /** The queues served and their names changed, or were read again. */
  void queuesRead(List<QueueInfo> served);
}
