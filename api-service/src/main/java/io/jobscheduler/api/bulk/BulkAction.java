package io.jobscheduler.api.bulk;

import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.trail.Rehearsal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A bulk action and how far it is.
 *
 * @param stateReason why it was stopped or aborted
 * @param filter as it was asked for, with the states that it comes down to
 * @param snapshotAt jobs that were made, or came into their state, later are not touched
 */
@Schema(name = "BulkAction")
public record BulkAction(
    String id,
    @Schema(enumeration = {"retry", "cancel", "delete", "discard"}) String action,
    @Schema(
            enumeration = {
              "pending",
              "running",
              "canary",
              "completed",
              "stopped",
              "aborted",
              "undoing",
              "undone"
            })
        String state,
    @Nullable String stateReason,
    BulkFilter filter,
    @Nullable String reason,
    String requestedBy,
    Instant createdAt,
    Instant snapshotAt,
    @Nullable Instant endedAt,
    @Nullable Integer maxJobs,
    @Nullable Integer canary,
    @Nullable Double ratePerSecond,
    @Nullable Double stopWhenFailureRatioOver,
    Progress progress) {

  /**
   * Jobs of an action. Found are done, skipped, failed and open ones together.
   *
   * @param found that fit the filter
   * @param foundAll whether the search for them is over; until then nothing is done
   * @param open still to be done
   * @param done retried, cancelled, asked to end, or deleted
   * @param cancelRequested of those done, running ones that were asked to end
   * @param skipped by reason: changed (it did not fit any more), gone, unmet (a job that it depends
   *     on forbids it to run), key-taken (another job holds its unique key), needed (others depend
   *     on it)
   * @param failed not done because of a fault
   * @param succeededSince of retried jobs, where failures are watched: have succeeded
   * @param failedSince likewise: an attempt of theirs has failed
   * @param undone taken back
   * @param notUndone by reason, what could not be taken back
   */
  @Schema(name = "BulkProgress")
  public record Progress(
      long found,
      boolean foundAll,
      long open,
      long done,
      long cancelRequested,
      Map<String, Long> skipped,
      long failed,
      long succeededSince,
      long failedSince,
      long undone,
      Map<String, Long> notUndone) {}

  /**
   * What an action would be for.
   *
   * @param dryRun true
   * @param filter with the states that it comes down to
   * @param count of jobs; capped when there are more, or when not all rows were looked at
   * @param sampleIds some of them
   * @param snapshotAt to be given to the action itself, so that it is for no other jobs
   */
  @Schema(name = "BulkDryRun")
  public record DryRun(
      boolean dryRun,
      String action,
      BulkFilter filter,
      Count count,
      List<String> sampleIds,
      Instant snapshotAt)
      implements Rehearsal {}
}
