package io.jobscheduler.worker.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue as the last poll read it.
 *
 * @param weight its share under Deficit Round Robin, 1 to 1000
 * @param maxConcurrency most jobs that run at once, or null for any number
 * @param perKeyConcurrency most jobs of one concurrency key that run at once, or null for any
 *     number
 * @param rate starts that it allows in a time, or null for any number
 * @param timeout of a job that names none, or null for none
 */
public record QueueInfo(
    int id,
    int projectId,
    QueueName name,
    int weight,
    @Nullable Integer maxConcurrency,
    @Nullable Integer perKeyConcurrency,
    @Nullable Rate rate,
    @Nullable Duration timeout,
    boolean paused) {

  /** So many starts in a time, and so many at once. */
  public record Rate(int limit, Duration period, int burst) {}

  /** Whether jobs may be passed by because of their key. */
  boolean isKeyed() {
    return perKeyConcurrency != null;
  }

  /** Whether claims of it go one after the other, behind its lock. */
  public boolean isLimited() {
    return maxConcurrency != null || perKeyConcurrency != null || rate != null;
  }
}
