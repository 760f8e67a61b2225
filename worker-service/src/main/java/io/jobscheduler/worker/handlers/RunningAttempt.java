package io.jobscheduler.worker.handlers;

/** What a handler may ask about its attempt while it runs. Thread-safe. */
public interface RunningAttempt {
  /**
   * Whether the attempt should end soon: somebody cancelled the job, its time is up, the worker
   * stops, or the lease is lost. The handler's thread is interrupted at the same moment; this stays
   * true if it swallows the interrupt.
   */
  boolean isCancelled();

  /** Where the attempt says what people may want to read of it. */
  default AttemptNotes notes() {
    return AttemptNotes.NONE;
  }

  /** The graph around its job. */
  default WorkflowAccess workflow() {
    return WorkflowAccess.NONE;
  }
}
