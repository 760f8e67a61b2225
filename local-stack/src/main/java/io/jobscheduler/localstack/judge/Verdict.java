package io.jobscheduler.localstack.judge;

import java.util.List;
import java.util.stream.Stream;

/**
 * What was found about one invariant.
 *
 * @param checked how many facts were looked at: leases, accepted jobs, samples, edges, fires …
 * @param violated how many of them broke it
 * @param first the first so many violations, in the order found
 */
public record Verdict(long checked, long violated, List<Violation> first) {
  /** Nothing was looked at. */
  public static final Verdict NONE = new Verdict(0, 0, List.of());

  public Verdict {
    first = List.copyOf(first);
  }

  /** Both together. */
  public Verdict plus(Verdict other) {
    List<Violation> all =
        Stream.concat(first.stream(), other.first.stream()).limit(Judgement.KEPT).toList();
    return new Verdict(checked + other.checked, violated + other.violated, all);
  }
}
