package io.jobscheduler.api.paging;

/**
 * A count that never costs a full scan.
 *
 * @param value the count, at most the cap
 * @param capped whether there are more than {@code value}
 */
public record Count(long value, boolean capped) {
  /** Where counting stops. */
  public static final int CAP = 10_000;

  /** Of a count that stopped at one past the cap. */
  public static Count of(long counted) {
    return of(counted, CAP);
  }

  /** Of a count that stopped at one past {@code cap}. */
  public static Count of(long counted, long cap) {
    return new Count(Math.min(counted, cap), counted > cap);
  }
}
