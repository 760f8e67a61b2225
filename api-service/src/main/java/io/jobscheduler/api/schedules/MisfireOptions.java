package io.jobscheduler.api.schedules;

import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * How a schedule deals with planned times seen over a minute late.
 *
 * @param policy in lower-case snake_case
 * @param maxCatchUp runs at most under fire_all, 1 to 1000
 * @param window misfires older than this never run, at most 365 days
 */
public record MisfireOptions(
    @Schema(enumeration = {"fire_once", "fire_all", "skip"}) String policy,
    int maxCatchUp,
    Duration window) {}
