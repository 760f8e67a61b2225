package io.jobscheduler.api.bulk;

import io.jobscheduler.schema.state.JobState;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What is done with the jobs, and in which states it can be done. */
enum BulkVerb {
  /** As a single job's retry. One that has succeeded only where the filter names that state. */
  RETRY(
      EnumSet.of(JobState.DEAD, JobState.CANCELLED, JobState.SKIPPED, JobState.RETRYING),
      EnumSet.of(JobState.SUCCEEDED)),
  /** Waiting jobs end at once, running ones are asked to. */
  CANCEL(
      EnumSet.of(
          JobState.SCHEDULED,
          JobState.BLOCKED,
          JobState.READY,
          JobState.RUNNING,
          JobState.RETRYING),
      EnumSet.noneOf(JobState.class)),
  /** Jobs that have ended; those that wait only where the filter names their state. */
  DELETE(
      EnumSet.of(JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED, JobState.SKIPPED),
      EnumSet.of(JobState.SCHEDULED, JobState.BLOCKED, JobState.READY, JobState.RETRYING)),
  /** Throws dead letters away. */
  DISCARD(EnumSet.of(JobState.DEAD), EnumSet.noneOf(JobState.class));

  private final Set<JobState> usual;
  private final Set<JobState> possible;

  BulkVerb(Set<JobState> usual, Set<JobState> onlyIfNamed) {
    this.usual = usual;
    this.possible = EnumSet.copyOf(usual);
    this.possible.addAll(onlyIfNamed);
  }

  /** The states in which it is done when the filter names none. */
  Set<JobState> usual() {
    return usual;
  }

  /** The states that a filter may name. */
  Set<JobState> possible() {
    return possible;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<BulkVerb> of(String label) {
    return Arrays.stream(values()).filter(v -> v.label().equals(label)).findFirst();
  }

  static String labels() {
    return Arrays.stream(values()).map(BulkVerb::label).collect(Collectors.joining(", "));
  }
}
