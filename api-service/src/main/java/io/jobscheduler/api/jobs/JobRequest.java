package io.jobscheduler.api.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One job to enqueue, valid in itself.
 *
 * @param payload the JSON text as typed; null when there is none
 * @param runAt when it is due; null now, or after {@code delay}
 * @param delay due so long after the database's clock at the insert
 * @param retryPolicy as jobs.retry_delay reads it; null for the queue's, or the default
 * @param unique the key that it asks to hold; null when it asks for none
 * @param needs what it waits for; always empty in a workflow, whose edges say so
 */
public record JobRequest(
    String type,
    String queue,
    @Nullable String payload,
    int priority,
    @Nullable Instant runAt,
    @Nullable Duration delay,
    int maxAttempts,
    @Nullable String retryPolicy,
    JobOptions options,
    JobExtras extras,
    @Nullable Unique unique,
    List<Need> needs) {
  /** The queue that every project has. */
  public static final String DEFAULT_QUEUE = "default";

  public static final int DEFAULT_PRIORITY = 4;
  static final int DEFAULT_MAX_ATTEMPTS = 20;

  /** A job that carries nothing and holds no key. */
  public JobRequest(
      String type,
      String queue,
      @Nullable String payload,
      int priority,
      @Nullable Instant runAt,
      @Nullable Duration delay,
      int maxAttempts,
      @Nullable String retryPolicy,
      JobOptions options) {
    this(
        type,
        queue,
        payload,
        priority,
        runAt,
        delay,
        maxAttempts,
        retryPolicy,
        options,
        JobExtras.NONE,
        null,
        List.of());
  }

  JobRequest withTraceparent(@Nullable String traceparent) {
    return new JobRequest(
        type,
        queue,
        payload,
        priority,
        runAt,
        delay,
        maxAttempts,
        retryPolicy,
        options,
        extras.withTraceparent(traceparent),
        unique,
        needs);
  }
}
