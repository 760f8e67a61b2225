package io.jobscheduler.api.jobs;

import io.jobscheduler.api.paging.Count;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dead jobs that failed of the same.
 *
 * @param fingerprint what they have in common, for {@code jobs?error=}
 * @param errorKind in kebab-case
 * @param normalisedMessage their message without what differs from job to job: {@code ?} for what
 *     is quoted, {@code /?} for paths, {@code #} for numbers
 * @param message of the newest of them, its first 1,000 characters
 * @param topFrame the first frame of its stack trace
 * @param firstSeen when the first of those counted died
 * @param lastSeen when the last of them died
 * @param count how many there are, at most the newest 1,000
 * @param sampleJobs the newest, five at most
 */
public record DeadLetterGroup(
    String fingerprint,
    @Nullable String errorKind,
    @Nullable String normalisedMessage,
    @Nullable String message,
    @Nullable String topFrame,
    Instant firstSeen,
    Instant lastSeen,
    Count count,
    List<String> sampleJobs) {}
