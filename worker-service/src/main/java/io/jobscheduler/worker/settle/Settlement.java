package io.jobscheduler.worker.settle;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ends. Made by the factories only.
 *
 * @param outcome the word that {@code jobs.settle} knows
 * @param result JSON text, or null
 * @param kind error kind in kebab-case, or null
 * @param message error message, or null
 * @param stack stack trace, or null
 * @param delay wait before the next attempt, or null for the job's policy
 */
public record Settlement(
    String outcome,
    @Nullable String result,
    @Nullable String kind,
    @Nullable String message,
    @Nullable String stack,
    @Nullable Duration delay) {

  /** Done. */
  public static Settlement succeeded(@Nullable String result) {
    return new Settlement("succeeded", result, null, null, null, null);
  }

  /** Failed: retried, or dead when it was the last attempt. */
  public static Settlement failed(
      String kind, @Nullable String message, @Nullable String stack, @Nullable Duration delay) {
    return new Settlement("failed", null, kind, message, stack, delay);
  }

  /** Cannot succeed. */
  public static Settlement dead(String kind, @Nullable String message, @Nullable String stack) {
    return new Settlement("dead", null, kind, message, stack, null);
  }

  /** No longer wanted. */
  public static Settlement cancelled(String reason) {
    return new Settlement("cancelled", null, "cancelled", reason, null, null);
  }

  /** Given back; the attempt does not count. */
  public static Settlement released() {
    return new Settlement("released", null, null, null, null, null);
  }

  /** What becomes of this one when the database cannot store it. */
  Settlement unstorable(String why) {
    // Without its delay, which may be what could not be stored.
    return failed("unstorable-result", why, null, null);
  }
}
