package io.jobscheduler.worker.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue as the last poll read it.
 *
 * @param weight its share under Deficit Round Robin, 1 to 1000
 * @param maxConcurrency the limit, or null for none
 * @param timeout run time of a job that names none of its own, or null for no limit
 */
public record QueueInfo(
    int id,
    int projectId,
    QueueName name,
    int weight,
    @Nullable Integer maxConcurrency,
    boolean paused,
    @Nullable Duration timeout) {

  boolean isLimited() {
    return maxConcurrency != null;
  }
}
