package io.jobscheduler.api.schedules;

/** What becomes of a fire while a job of the same schedule lives. */
enum OverlapPolicy {
  /** It is skipped, which its history says. */
  SKIP,
  /** It runs beside the other. */
  ALLOW,
  /** It waits until no other lives; the newest of those that wait. */
  QUEUE_ONE,
  /** It waits until no other lives, as do up to {@code bound} more. */
  QUEUE_ALL,
  /** The other is cancelled. */
  CANCEL_PREVIOUS
}
