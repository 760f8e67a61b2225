package io.jobscheduler.api.jobs;

/** Names of members and numbers of elements (from 0) of a payload, with dots between. */
public final class PayloadPath {
  /** Characters. */
  public static final int LONGEST = 200;

  /** What to tell who sent something else. */
  public static final String EXPECTED =
      "Expected a path of 1 to " + LONGEST + " characters, such as order.lines.0.id.";

  private PayloadPath() {}

  /** Whether {@code text} is one. */
  public static boolean isOne(String text) {
    return !text.isEmpty() && text.length() <= LONGEST && text.indexOf('\0') < 0;
  }
}
