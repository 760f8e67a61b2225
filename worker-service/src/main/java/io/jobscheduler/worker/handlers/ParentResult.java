package io.jobscheduler.worker.handlers;

import org.jspecify.annotations.Nullable;

/**
 * What a job that this one depends on has left.
 *
 * @param jobId its id
 * @param key its key in this job's workflow; null when it belongs to none, or to another one
 * @param state the parent's: succeeded, dead, cancelled or skipped; one that has not ended when a
 *     join has let this job start: what it is now; null when nothing is left of it
 * @param found whether there is a result, and if not, why
 * @param json the result as it was typed, digit for digit; null unless found
 */
public record ParentResult(
    long jobId, @Nullable String key, @Nullable String state, Found found, @Nullable String json) {

  /** Whether there is a result. */
  public enum Found {
    /** Here it is. */
    RESULT,
    /** The parent ended without one, or has not ended. */
    NONE,
    /** Its retention has ended. */
    GONE,
    /** It is too large to be handed on, or came after others that took the room. */
    TOO_LARGE
  }
}
