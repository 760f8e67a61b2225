package io.jobscheduler.schedule.misfire;

import java.time.Instant;

/**
 * A planned time that runs now.
 *
 * @param plannedAt the planned time
 * @param trigger whether it is on time or made up for
 * @param missed how many planned times before it were missed and do not run, for the first fire of
 *     a plan; else 0
 */
public record DueFire(Instant plannedAt, Trigger trigger, long missed) {

  /** Why a fire runs. The names are part of the API. */
  public enum Trigger {
    /** Its time has just come. */
    SCHEDULED,
    /** Its time was missed. */
    CATCH_UP
  }
}
