package io.jobscheduler.localstack.judge;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of one job.
 *
 * @param rows of the job: one, or it is in two places, or in none
 * @param leases that started, in the order in which they did
 * @param effects by token
 */
record Dossier(long id, List<JobRow> rows, List<Lease> leases, List<Effect> effects) {
  private static final Comparator<Lease> BY_START =
      Comparator.comparingLong((Lease lease) -> Objects.requireNonNull(lease.startedMicros()))
          .thenComparingLong(Lease::token);

  /** With the leases of the attempts and of the rows. */
  static Dossier of(long id, List<JobRow> rows, List<Lease> attempts, List<Effect> effects) {
    List<Lease> leases =
        Stream.concat(attempts.stream(), rows.stream().map(JobRow::lease).filter(Objects::nonNull))
            .filter(lease -> lease.startedMicros() != null)
            .sorted(BY_START)
            .toList();
    return new Dossier(id, List.copyOf(rows), leases, List.copyOf(effects));
  }

  /** Its row, the first when it has two; null: there is none. */
  @Nullable JobRow job() {
    return rows.isEmpty() ? null : rows.get(0);
  }

  /** What ran under a lease; null: nothing. */
  @Nullable Effect effect(long token) {
    for (Effect effect : effects) {
      if (effect.token == token) {
        return effect;
      }
    }
    return null;
  }
}
