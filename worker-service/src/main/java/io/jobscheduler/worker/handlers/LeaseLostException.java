package io.jobscheduler.worker.handlers;

/**
 * The attempt's lease has ended, so it may do nothing more for its job: another attempt may run
 * already. Whatever it answers is dropped.
 */
public final class LeaseLostException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Names the job. */
  public LeaseLostException(long jobId) {
    super("the lease of job " + jobId + " is lost");
  }
}
