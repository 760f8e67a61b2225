package io.jobscheduler.api.workers;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * A worker process. Its id is new with each start.
 *
 * @param slots how many jobs it runs at once
 * @param running how many it ran at its last beat
 * @param state active, draining, lost or stopped
 * @param queues the patterns {@code project/queue} that it serves and that fit queues of the
 *     project
 */
public record Worker(
    String id,
    String host,
    String version,
    int slots,
    int running,
    boolean draining,
    @Schema(enumeration = {"active", "draining", "lost", "stopped"}) String state,
    Instant startedAt,
    Instant lastBeatAt,
    List<String> queues) {}
