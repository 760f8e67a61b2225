package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.jobscheduler.api.jobs.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The job that each fire makes, as the API shows it.
 *
 * @param payload as typed; null when there is none or the caller may not see it
 * @param retry null: the queue's or the default
 * @param timeout null: the queue's, or none
 * @param startWithin not started so long after its fire, it is cancelled as expired
 */
public record JobTemplate(
    String type,
    String queue,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String payload,
    int priority,
    int maxAttempts,
    @Nullable RetryPolicy retry,
    @Nullable Duration timeout,
    @Nullable Duration startWithin,
    int cost,
    @Nullable String concurrencyKey,
    List<String> tags,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String metadata) {
  JobTemplate withoutPayload() {
    return new JobTemplate(
        type,
        queue,
        null,
        priority,
        maxAttempts,
        retry,
        timeout,
        startWithin,
        cost,
        concurrencyKey,
        tags,
        metadata);
  }
}
