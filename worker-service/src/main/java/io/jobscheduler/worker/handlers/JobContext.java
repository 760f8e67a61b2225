package io.jobscheduler.worker.handlers;

import org.jspecify.annotations.Nullable;

/**
 * What a handler gets to see of its job. A job runs at least once: to be idempotent, key effects by
 * {@code jobId}, or let the storage refuse a {@code leaseToken} smaller than one it has seen.
 *
 * @param attempt number of this attempt, from 1
 * @param maxAttempts runs in all
 * @param leaseToken grows with every lease of the job
 * @param workflow id of the workflow, or null
 * @param payload JSON as it was typed, or null
 * @param running what may be asked while it runs
 */
public record JobContext(
    long jobId,
    int attempt,
    int maxAttempts,
    long leaseToken,
    String type,
    String project,
    String queue,
    @Nullable Integer workflow,
    @Nullable String payload,
    RunningAttempt running) {

  /**
   * Whether the attempt should end soon; see {@link RunningAttempt#isCancelled()}. A handler that
   * takes longer than the worker's grace to end loses its lease.
   */
  public boolean isCancelled() {
    return running.isCancelled();
  }

  /** Adds a line to the log of this attempt; see {@link AttemptNotes#log}. */
  public void log(AttemptNotes.Level level, @Nullable String message) {
    running.notes().log(level, message);
  }

  /** Says how far this attempt has come; see {@link AttemptNotes#progress}. */
  public void progress(double fraction, @Nullable String message) {
    running.notes().progress(fraction, message);
  }
}
