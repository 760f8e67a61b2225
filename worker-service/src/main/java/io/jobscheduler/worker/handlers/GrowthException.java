package io.jobscheduler.worker.handlers;

import java.util.List;

/** Jobs cannot be added to the workflow as asked, and none was. */
public final class GrowthException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MOST_NAMED = 20;

  private final String reason;

  /**
   * Says why.
   *
   * @param reason in kebab-case
   * @param keys of the jobs in question
   */
  public GrowthException(String reason, List<String> keys) {
    super(
        keys.isEmpty()
            ? reason
            : reason
                + ": "
                + String.join(", ", keys.subList(0, Math.min(keys.size(), MOST_NAMED)))
                + (keys.size() > MOST_NAMED ? ", …" : ""));
    this.reason = reason;
  }

  /**
   * Why: {@code cycle}, {@code invalid} (a value is out of its range), {@code different} (the key
   * is taken by another job), {@code duplicate-key}, {@code unknown-key}, {@code unknown-queue},
   * {@code not-downstream}, {@code condition-differs} (it is to wait for a job twice, on different
   * outcomes), {@code too-large}, {@code cancelled}, {@code overdue} (the workflow's deadline has
   * passed), {@code finished} or {@code no-workflow}.
   */
  public String reason() {
    return reason;
  }
}
