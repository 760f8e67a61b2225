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
    return new Count(Math.min(counted, CAP), counted > CAP);
  }
}
