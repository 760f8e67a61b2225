package io.jobscheduler.schedule.misfire;

import java.time.Instant;

/**
 * Planned times in a row that do not run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count how many they are
 */
public record MissedRange(Instant from, Instant to, long count) {}
