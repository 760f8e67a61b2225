package io.jobscheduler.api.queues;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.api.paging.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue as the API shows it.
 *
 * @param weight its share against the project's other queues, 1 to 1000
 * @param maxConcurrency most jobs that run at once over the whole fleet; null none, 0 nothing
 *     starts
 * @param perKeyConcurrency most jobs with one concurrencyKey that run at once; jobs without a key
 *     are not limited by it
 * @param rateLimit how many jobs may start in a time
 * @param maxDepth most jobs that may wait; what would be more is refused
 * @param aging the wait that outweighs one step of priority; null: priority always goes first
 * @param retry when a failed attempt of a job is tried again that names no policy; null: the
 *     general default
 * @param timeout of an attempt of a job that names none
 * @param searchablePaths of payloads, by which a list of this queue's jobs is found by an index
 * @param paused the pause, while no job starts
 * @param counts live jobs by state
 * @param oldestReadyAt since when the oldest claimable job waits
 * @param etag of its settings and its pause; not of counts
 */
public record Queue(
    String name,
    int weight,
    @Nullable Integer maxConcurrency,
    @Nullable Integer perKeyConcurrency,
    QueueSettings.@Nullable RateLimit rateLimit,
    @Nullable Integer maxDepth,
    @Nullable Duration aging,
    @Nullable RetryPolicy retry,
    @Nullable Duration timeout,
    QueueSettings.Retention retention,
    List<String> searchablePaths,
    QueueSettings.@Nullable Pause paused,
    Instant createdAt,
    Map<String, Count> counts,
    @Nullable Instant oldestReadyAt,
    @JsonIgnore String etag) {}
