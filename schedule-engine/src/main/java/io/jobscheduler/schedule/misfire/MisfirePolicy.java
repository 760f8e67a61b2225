package io.jobscheduler.schedule.misfire;

/** Which of the planned times that were missed still run. The names are part of the API. */
public enum MisfirePolicy {
  /** One run for all of them, the latest; the others are counted. */
  FIRE_ONCE,
  /** Each of them, oldest first, up to a limit; the oldest ones above it are counted. */
  FIRE_ALL,
  /** None; all are counted. */
  SKIP
}
