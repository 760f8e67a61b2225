package io.jobscheduler.api.schedules;

import io.jobscheduler.api.trail.Rehearsal;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A backfill and how far it is.
 *
 * @param from inclusive
 * @param to exclusive
 * @param state running, completed or aborted
 * @param planned planned times in the range
 * @param accepted of those, fired or queued
 * @param waiting of the accepted, how many wait for the run before them
 * @param skipped by overlap
 * @param leftAlone not asked for by reprocess, or their run waits or lives
 * @param error why it was given up
 */
@Schema(name = "Backfill")
public record Backfill(
    String id,
    Instant from,
    Instant to,
    @Schema(enumeration = {"allow", "queue_all", "skip"}) String overlap,
    @Schema(enumeration = {"missing", "failed", "all"}) String reprocess,
    int priority,
    @Schema(enumeration = {"running", "completed", "aborted"}) String state,
    int planned,
    int accepted,
    int waiting,
    int skipped,
    int leftAlone,
    @Nullable String requestedBy,
    Instant createdAt,
    @Nullable Instant finishedAt,
    @Nullable String error) {

  /**
   * What a backfill would do.
   *
   * @param planned planned times in the range
   * @param toRun those that would be run
   * @param leftAlone those that would not
   * @param first the first that would be run
   * @param last the last that would be run
   */
  @Schema(name = "BackfillDryRun")
  public record DryRun(
      boolean dryRun,
      int planned,
      int toRun,
      int leftAlone,
      @Nullable Instant first,
      @Nullable Instant last)
      implements Rehearsal {}
}
