package io.jobscheduler.worker.settle;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ends. Made by the factories only.
 *
 * @param outcome the word that {@code jobs.settle} knows
 * @param result JSON text, or null
 * @param kind error kind in kebab-case, or null
 * @param message error message, or null
 * @param stack stack trace, or null
 * @param fingerprint what equal failures have in common, or null
 * @param delay wait before the next attempt, or null
 * @param until instant of the next attempt by the database's clock, or null; goes before the delay
 */
public record Settlement(
    String outcome,
    @Nullable String result,
    @Nullable String kind,
    @Nullable String message,
    @Nullable String stack,
    @Nullable String fingerprint,
    @Nullable Duration delay,
    @Nullable Instant until) {

  /** Done. */
  public static Settlement succeeded(@Nullable String result) {
    return new Settlement("succeeded", result, null, null, null, null, null, null);
  }

  /**
   * Failed: retried, by the policy when no delay is given, or dead when it was the last attempt.
   */
  public static Settlement failed(
      String kind,
      @Nullable String message,
      @Nullable String stack,
      @Nullable String fingerprint,
      @Nullable Duration delay,
      @Nullable Instant until) {
    return new Settlement("failed", null, kind, message, stack, fingerprint, delay, until);
  }

  /** Cannot succeed. */
  public static Settlement dead(
      String kind, @Nullable String message, @Nullable String stack, @Nullable String fingerprint) {
    return new Settlement("dead", null, kind, message, stack, fingerprint, null, null);
  }

  /** No longer wanted. */
  public static Settlement cancelled(String reason) {
    return new Settlement("cancelled", null, "cancelled", reason, null, null, null, null);
  }

  /** Not yet: again after that wait or at that instant; the attempt does not count. */
  public static Settlement snoozed(@Nullable Duration delay, @Nullable Instant until) {
    return new Settlement("snoozed", null, null, null, null, null, delay, until);
  }

  /** Ended since it ran too long: counts as a failed attempt. */
  public static Settlement timedOut(
      String message, @Nullable String stack, @Nullable String fingerprint) {
    return new Settlement("timed_out", null, "timeout", message, stack, fingerprint, null, null);
  }

  /** Cancelled, and its handler did not end in time. */
  public static Settlement revoked(String message, @Nullable String stack) {
    return new Settlement("revoked", null, "cancelled", message, stack, null, null, null);
  }

  /** The instant by which it had to start has passed. */
  public static Settlement expired() {
    return new Settlement(
        "expired", null, "expired", "not started in time", null, null, null, null);
  }

  /** Cut short since its worker stops: given back, and the attempt does not count, but is seen. */
  public static Settlement interrupted() {
    return new Settlement(
        "released", null, "interrupted", "its worker stopped", null, null, null, null);
  }

  /** Given back unstarted; the attempt does not count. */
  public static Settlement released() {
    return new Settlement("released", null, null, null, null, null, null, null);
  }

  /** Whether the handler did not get to say what becomes of the job. */
  public boolean isUnfinished() {
    return outcome.equals("failed") || outcome.equals("snoozed");
  }

  /** What becomes of this one when the database cannot store it. */
  Settlement unstorable(String why) {
    // Without its delay and instant, which may be what could not be stored.
    return failed("unstorable-result", why, null, null, null, null);
  }
}
