package io.jobscheduler.api.queues;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.jobscheduler.api.jobs.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What an admin sets of a queue.
 *
 * @param retry the policy as jobs.retry_delay reads it
 * @param searchablePaths of payloads, see {@link SearchablePaths}
 */
record QueueSettings(
    int weight,
    @Nullable Integer maxConcurrency,
    @Nullable Integer perKeyConcurrency,
    @Nullable RateLimit rateLimit,
    @Nullable Integer maxDepth,
    @Nullable Duration aging,
    @Nullable String retry,
    @Nullable Duration timeout,
    @Nullable Integer finishedDays,
    @Nullable Integer deadDays,
    List<String> searchablePaths) {
  static final QueueSettings DEFAULT =
      new QueueSettings(1, null, null, null, null, null, null, null, 7, 30, List.of());

  /**
   * A token bucket.
   *
   * @param limit jobs that may start in each period
   * @param burst jobs that may start at once after a quiet time
   */
  @Schema(name = "QueueRateLimit")
  public record RateLimit(int limit, Duration period, int burst) {}

  /**
   * How long ended jobs are kept, in whole days; absent: for ever.
   *
   * @param finished those that succeeded, were cancelled or skipped
   * @param dead those in the dead-letter queue
   */
  @Schema(name = "QueueRetention")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Retention(@Nullable String finished, @Nullable String dead) {}

  /** A pause: by whom, why, since when and, unless somebody is to end it, until when. */
  @Schema(name = "QueuePause")
  public record Pause(
      @Nullable String by, @Nullable String reason, Instant at, @Nullable Instant until) {}

  /** These settings where {@code given} names them, those of {@code base} elsewhere. */
  QueueSettings over(QueueSettings base, Set<String> given) {
    return new QueueSettings(
        given.contains("weight") ? weight : base.weight,
        given.contains("maxConcurrency") ? maxConcurrency : base.maxConcurrency,
        given.contains("perKeyConcurrency") ? perKeyConcurrency : base.perKeyConcurrency,
        given.contains("rateLimit") ? rateLimit : base.rateLimit,
        given.contains("maxDepth") ? maxDepth : base.maxDepth,
        given.contains("aging") ? aging : base.aging,
        given.contains("retry") ? retry : base.retry,
        given.contains("timeout") ? timeout : base.timeout,
        given.contains("finished") ? finishedDays : base.finishedDays,
        given.contains("dead") ? deadDays : base.deadDays,
        given.contains("searchablePaths") ? searchablePaths : base.searchablePaths);
  }

  @Nullable RetryPolicy retryPolicy() {
    return retry == null ? null : RetryPolicy.ofStored(retry);
  }
}
