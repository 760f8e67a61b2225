package io.jobscheduler.api.jobs;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * One line of an attempt's log.
 *
 * @param line its number in the attempt, from 1
 * @param level debug, info, warn or error
 */
public record LogLine(
    int line,
    Instant at,
    @Schema(enumeration = {"debug", "info", "warn", "error"}) String level,
    String message) {}
