package io.jobscheduler.api.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far a running attempt says it has come.
 *
 * @param fraction of the work, 0 to 1
 * @param at when it said so
 */
public record JobProgress(@Nullable Double fraction, @Nullable String message, Instant at) {}
