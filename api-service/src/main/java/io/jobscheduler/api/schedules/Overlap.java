package io.jobscheduler.api.schedules;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * How a schedule deals with a fire while one of its jobs lives.
 *
 * @param policy in lower-case snake_case
 * @param bound fires that wait at most under queue_all, 1 to 1000
 */
public record Overlap(
    @Schema(enumeration = {"skip", "allow", "queue_one", "queue_all", "cancel_previous"})
        String policy,
    int bound) {}
