package io.jobscheduler.api.trail;

/** An answer that may only say what would have been changed; then nothing is recorded. */
public interface Rehearsal {
  /** Whether nothing was changed. */
  boolean dryRun();
}
