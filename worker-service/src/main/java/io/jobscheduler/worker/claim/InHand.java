package io.jobscheduler.worker.claim;

/** What this worker holds of each queue: claimed, running, or not yet confirmed as ended. */
interface InHand {
  /** Jobs: what limits count. */
  int jobs(int queueId);

  /** Slots that they fill, or will: what a share bounds. */
  int slots(int queueId);

  /** Slots that those fill which have started: what a share is measured by. */
  int filled(int queueId);
}
