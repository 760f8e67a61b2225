package io.jobscheduler.localstack.judge;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lease on record: a row of the attempts, or what a job's own row says of the one that it has, or
 * had when it ended. Times are the database's, in microseconds since the epoch.
 *
 * @param outcome an attempt's, or the state of the job that it ended; {@code running} while held
 * @param startedMicros null: it never started, the row only tells who ended the job
 * @param endedMicros {@link Long#MAX_VALUE} while held
 */
record Lease(
    long job,
    long token,
    @Nullable Long worker,
    @Nullable Long startedMicros,
    long endedMicros,
    int attempt,
    int generation,
    String outcome,
    @Nullable String errorKind) {
  private static final Set<String> BY_ITS_HANDLER =
      Set.of("succeeded", "failed", "dead", "snoozed");

  /** Kinds of failures that somebody else than the handler states. */
  private static final Set<String> OTHERS_WORD = Set.of("worker-lost", "timeout");

  boolean held() {
    return endedMicros == Long.MAX_VALUE;
  }

  /** Whether it ended since its handler had ended, as the record has it. */
  boolean endedByItsHandler() {
    return BY_ITS_HANDLER.contains(outcome)
        && (errorKind == null || !OTHERS_WORD.contains(errorKind));
  }

  /** The worker died, or seemed to. */
  boolean lost() {
    return outcome.equals("lost") || "worker-lost".equals(errorKind);
  }

  /** Whether the attempt counts. */
  boolean counts() {
    return !outcome.equals("released") && !outcome.equals("snoozed");
  }
}
