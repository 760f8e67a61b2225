package io.jobscheduler.worker.claim;

/**
 * The arguments of one claim, parallel by queue; heads have one column per lane, 9 to 0.
 *
 * @param wanted at most so many from each queue
 */
public record ClaimRequest(int[] queueIds, int[] wanted, long[][] headKeys, long[][] headIds) {
  boolean isEmpty() {
    return queueIds.length == 0;
  }
}
