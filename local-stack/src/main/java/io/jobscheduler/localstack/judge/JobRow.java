package io.jobscheduler.localstack.judge;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A job as its row has it. Times are the database's, in microseconds since the epoch. */
record JobRow(
    long id,
    int project,
    int queue,
    String type,
    String state,
    @Nullable String stateReason,
    int attempt,
    int maxAttempts,
    int returned,
    int generation,
    @Nullable Long startedMicros,
    @Nullable Long finishedMicros,
    @Nullable Long token,
    @Nullable Long worker,
    @Nullable Integer workflow,
    @Nullable String concurrencyKey,
    @Nullable String errorKind,
    @Nullable String gate,
    @Nullable Integer schedule,
    @Nullable Long plannedMicros) {
  private static final Set<String> TERMINAL = Set.of("succeeded", "dead", "cancelled", "skipped");

  boolean ended() {
    return TERMINAL.contains(state);
  }

  /** The lease that it has, or that ended it; null: none. */
  @Nullable Lease lease() {
    return token == null
        ? null
        : new Lease(
            id,
            token,
            worker,
            startedMicros,
            finishedMicros == null ? Long.MAX_VALUE : finishedMicros,
            attempt,
            generation,
            state,
            errorKind);
  }
}
