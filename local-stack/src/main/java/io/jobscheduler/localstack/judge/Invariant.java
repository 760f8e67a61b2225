package io.jobscheduler.localstack.judge;

/** The promises by name, as docs/architecture.md has them. */
public enum Invariant {
  I1("single-attempt", "at most one attempt of a job holds its lease at any time"),
  I2("no-loss", "an accepted job is in a visible state and reaches its end"),
  I3("fenced", "lease tokens only grow, and a stale one publishes nothing"),
  I4("hard-limit", "no more jobs run than a queue's limits allow"),
  I5("dependency-gate", "no job starts before its dependencies have met their condition"),
  I6("one-fire", "a schedule fires once per planned time, and accounts for each"),
  I7("tenant-wall", "nothing crosses from one project into another"),
  I8("at-least-once", "what succeeded has run, and what was lost has run again");

  private final String title;
  private final String promise;

  Invariant(String title, String promise) {
    this.title = title;
    this.promise = promise;
  }

  /** Its name in words, such as {@code single-attempt}. */
  public String title() {
    return title;
  }

  /** What it promises, in one clause. */
  public String promise() {
    return promise;
  }
}
