package io.jobscheduler.localstack.process;

/** Something that keeps the stack from running; the message is one plain sentence for its user. */
public final class StackFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StackFailure(String message) {
    super(message);
  }

  public StackFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
