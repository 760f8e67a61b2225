package io.jobscheduler.schema.state;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of a job. Live states stand in table {@code jobs}, terminal ones in {@code
 * finished_jobs}. Immutable.
 *
 * <p>The names in SQL and over HTTP are the lower-case ones of {@link #label()}.
 */
public enum JobState {
  /** Due at an instant ahead. */
  SCHEDULED,
  /** Waits for the jobs it depends on. */
  BLOCKED,
  /** May be claimed. */
  READY,
  /** Leased to a worker. */
  RUNNING,
  /** Waits for its backoff after an attempt that failed. */
  RETRYING,
  /** Ended well. Terminal. */
  SUCCEEDED,
  /**
   * Its attempts are used up, or it said that it cannot succeed: the dead-letter queue. Terminal.
   */
  DEAD,
  /** Ended by a person, a key or an expiry. Terminal. */
  CANCELLED,
  /** Never ran, since a job it depends on did not meet its condition. Terminal. */
  SKIPPED;

  private static final Map<String, JobState> BY_LABEL =
      Stream.of(values())
          .collect(Collectors.toUnmodifiableMap(JobState::label, Function.identity()));

  private static final Map<JobState, Set<JobState>> NEXT =
      Map.of(
          SCHEDULED, Set.of(READY, BLOCKED, SUCCEEDED, SKIPPED, CANCELLED),
          BLOCKED, Set.of(READY, SCHEDULED, SUCCEEDED, SKIPPED, CANCELLED),
          READY, Set.of(RUNNING, BLOCKED, SCHEDULED, SUCCEEDED, SKIPPED, CANCELLED, DEAD),
          RUNNING, Set.of(SUCCEEDED, RETRYING, READY, SCHEDULED, DEAD, CANCELLED),
          RETRYING, Set.of(READY, BLOCKED, SUCCEEDED, SKIPPED, CANCELLED),
          SUCCEEDED, Set.of(READY, BLOCKED),
          DEAD, Set.of(READY, BLOCKED),
          CANCELLED, Set.of(READY, BLOCKED, SCHEDULED),
          SKIPPED, Set.of(READY, BLOCKED));

  /** The name in SQL, JSON and documents, for example {@code "ready"}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The state of that name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static JobState of(String label) {
    JobState state = BY_LABEL.get(label);
    if (state == null) {
      throw new IllegalArgumentException("no such job state: " + label);
    }
    return state;
  }

  /** Whether {@code label} names a state. */
  public static boolean isLabel(String label) {
    return BY_LABEL.containsKey(label);
  }

  /** Whether a job in this state has ended. */
  public boolean isTerminal() {
    return switch (this) {
      case SUCCEEDED, DEAD, CANCELLED, SKIPPED -> true;
      default -> false;
    };
  }

  /**
   * The states that may follow this one: the one allow-list. Out of a terminal state only by an
   * explicit redrive, retry or repair of the workflow.
   */
  public Set<JobState> next() {
    Set<JobState> next = NEXT.get(this);
    return next == null ? Set.of() : next;
  }

  /** Whether {@code to} may follow this state. */
  public boolean canBecome(JobState to) {
    return next().contains(to);
  }
}
