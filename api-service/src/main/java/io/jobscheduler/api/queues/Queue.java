package io.jobscheduler.api.queues;

import io.jobscheduler.api.paging.Count;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue as the API shows it.
 *
 * @param weight its share against the project's other queues, 1 to 1000
 * @param maxConcurrency most jobs that run at once over the whole fleet; null none, 0 nothing
 *     starts
 * @param counts live jobs by state
 * @param oldestReadyAt since when the oldest claimable job waits
 */
public record Queue(
    String name,
    int weight,
    @Nullable Integer maxConcurrency,
    Instant createdAt,
    Map<String, Count> counts,
    @Nullable Instant oldestReadyAt) {}
