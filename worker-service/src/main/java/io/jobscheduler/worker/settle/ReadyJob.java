package io.jobscheduler.worker.settle;

import io.jobscheduler.worker.claim.Position;
import io.jobscheduler.worker.claim.ReadyPlace;

/** A job that became ready by what was done here. */
public record ReadyJob(long id, int queueId, int lane, long dispatchKey, int projectId) {
  /** Where it waits. */
  public ReadyPlace place() {
    return new ReadyPlace(queueId, lane, new Position(dispatchKey, id));
  }
}
