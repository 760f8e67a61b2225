package io.jobscheduler.scheduler.leadership;

/** A term is over: another process has raised the epoch. Whatever was being done is rolled back. */
public final class NotLeadingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotLeadingException(Term term) {
    super("the term of epoch " + term.epoch() + " is over", null, false, false);
  }
}
