package io.jobscheduler.scheduler.workflow;

/** A stored workflow cannot be planned; the message says why, for a person. */
final class UnplannableException extends Exception {
  private static final long serialVersionUID = 1;

  UnplannableException(String reason) {
    super(reason);
  }
}
