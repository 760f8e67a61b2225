package io.jobscheduler.scheduler.agenda;

/**
 * What there is to do.
 *
 * @param silentWorkers some worker has not beaten for the early-loss time
 * @param heldByGone running jobs whose worker is lost or stopped
 * @param unplanned workflows without a plan
 * @param pendingReleases ended parents with children still to be told
 * @param blockedJobs jobs that wait for others
 * @param endedWorkflows workflows without a live job whose end is not noted, whose deadline has
 *     passed, or that have notes of failures
 * @param heads ready jobs, or noted heads that may be stale
 * @param expiredJobs jobs that wait although they should have started
 * @param statisticsDue a minute is over that is not counted, or not sampled
 * @param queuesToResume queues whose pause is over
 * @param queuesToRekey queues whose jobs are being given new places
 * @param auditToSeal audit rows that no chain holds yet
 * @param bulkActions bulk actions of which something is still to be done
 * @param pathsToSettle declared paths of payloads that no search goes by yet
 */
public record Findings(
    boolean silentWorkers,
    boolean heldByGone,
    boolean unplanned,
    boolean pendingReleases,
    boolean blockedJobs,
    boolean endedWorkflows,
    boolean heads,
    boolean expiredJobs,
    boolean statisticsDue,
    boolean queuesToResume,
    boolean queuesToRekey,
    boolean auditToSeal,
    boolean bulkActions,
    boolean pathsToSettle) {

  /** Nothing is known, so everything may be there. */
  static final Findings UNKNOWN =
      new Findings(
          true, true, true, true, true, true, true, true, true, true, true, true, true, true);
}
