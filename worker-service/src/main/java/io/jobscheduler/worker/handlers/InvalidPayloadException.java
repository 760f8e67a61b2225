package io.jobscheduler.worker.handlers;

/** A payload that the handler cannot use, now or ever: the job is dead at once. */
public final class InvalidPayloadException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong with it. */
  public InvalidPayloadException(String message) {
    super(message);
  }
}
