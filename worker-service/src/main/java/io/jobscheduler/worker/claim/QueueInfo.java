package io.jobscheduler.worker.claim;

import org.jspecify.annotations.Nullable;

/**
 * A queue as the last poll read it.
 *
 * @param weight its share under Deficit Round Robin, 1 to 1000
 * @param maxConcurrency the limit, or null for none
 */
public record QueueInfo(
    int id,
    int projectId,
    QueueName name,
    int weight,
    @Nullable Integer maxConcurrency,
    boolean paused) {

  boolean isLimited() {
    return maxConcurrency != null;
  }
}
