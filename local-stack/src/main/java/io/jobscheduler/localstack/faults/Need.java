package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.LocalStack;

/** What a fault needs besides the system itself. */
public enum Need {
  NOTHING(""),
  OWN_SERVER("the server is not ours to break"),
  PGBOUNCER("PgBouncer is not installed (Debian package pgbouncer)"),
  FAKETIME("libfaketime is not installed (Debian package faketime)");

  private final String otherwise;

  Need(String otherwise) {
    this.otherwise = otherwise;
  }

  /** Whether it is there for this stack. */
  public boolean met(LocalStack stack) {
    return switch (this) {
      case NOTHING -> true;
      case OWN_SERVER -> stack.ownsServer();
      case PGBOUNCER -> Pooler.find(stack).isPresent();
      case FAKETIME -> FakeTime.library().isPresent();
    };
  }

  /** Why a fault is left out. */
  public String otherwise() {
    return otherwise;
  }
}
