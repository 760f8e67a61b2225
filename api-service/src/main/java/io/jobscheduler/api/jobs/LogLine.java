package io.jobscheduler.api.jobs;

import java.time.Instant;

/**
 * One line of an attempt's log.
 *
 * @param line its number in the attempt, from 1
 * @param level debug, info, warn or error
 */
public record LogLine(int line, Instant at, String level, String message) {}
