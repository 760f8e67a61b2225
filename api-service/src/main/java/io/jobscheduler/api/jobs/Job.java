package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A job in full.
 *
 * @param summary what lists show, as members of the job itself
 * @param payload the JSON as it was typed; null when there is none or the caller may not see it
 * @param result the JSON that its handler gave
 * @param error its last error
 * @param retry its own policy, else its queue's, else the default
 * @param leaseToken the lease it runs under, or last ran under; null for viewers
 * @param options its own timeout or its queue's; startBy, cost and concurrencyKey as they were
 *     given
 * @param extras its tags, metadata and trace, as they were given
 * @param unique the key that it holds, or held; null when it asked for none
 * @param generation how often it was brought back after it had ended; attempts count from 1 in each
 * @param schedule the name of the schedule that made it; null once that is deleted
 * @param plannedAt the time that its schedule had planned
 * @param cancelRequestedAt since when its running attempt has been asked to end
 * @param progress what its running attempt said last
 * @param graph what it waits for, as members of the job itself
 * @param version of its row, for its entity tag; null where that is not known
 */
public record Job(
    @JsonUnwrapped JobSummary summary,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String payload,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String result,
    @Nullable JobError error,
    RetryPolicy retry,
    @Nullable String leaseToken,
    @JsonUnwrapped JobOptions options,
    @JsonUnwrapped JobExtras extras,
    @Nullable UniqueKey unique,
    int generation,
    @Nullable String schedule,
    @Nullable Instant plannedAt,
    @Nullable Instant cancelRequestedAt,
    @Nullable JobProgress progress,
    @JsonUnwrapped JobGraph graph,
    @JsonIgnore @Nullable String version) {
  /**
   * A unique key and how long it is held: until its job has started or finished, or for a window.
   */
  @Schema(name = "UniqueKey")
  public record UniqueKey(
      String key, @Schema(enumeration = {"started", "finished", "window"}) String until) {
    static @Nullable UniqueKey of(@Nullable String key, @Nullable String until) {
      return key == null || until == null ? null : new UniqueKey(key, until);
    }
  }
}
