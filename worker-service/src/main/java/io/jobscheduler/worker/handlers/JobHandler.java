package io.jobscheduler.worker.handlers;

/**
 * Runs the jobs of one type. One instance serves all slots, so it must be thread-safe. An interrupt
 * means that the job was cancelled, its time is up, the lease is lost or the worker stops: end
 * soon, by an exception or any outcome. Success still counts then, as long as the lease is held.
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
