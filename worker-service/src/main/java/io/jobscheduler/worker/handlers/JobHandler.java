package io.jobscheduler.worker.handlers;

/**
 * Runs the jobs of one type. One instance serves all slots, so it must be thread-safe. An interrupt
 * means that the lease is lost or the worker stops: end soon.
 */
public interface JobHandler {
  /** The job type that it runs. */
  String type();

  /**
   * Runs one attempt.
   *
   * @throws Exception which counts as a failed attempt whose kind is the exception's name
   */
  JobOutcome run(JobContext job) throws Exception;
}
