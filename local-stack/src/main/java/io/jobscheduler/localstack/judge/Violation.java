package io.jobscheduler.localstack.judge;

import org.jspecify.annotations.Nullable;

/**
 * A promise that was broken.
 *
 * @param job the job, or null where it is no single one's
 * @param sentence what was found, with the figures that show it
 */
public record Violation(Invariant invariant, @Nullable Long job, String sentence) {
  @Override
  public String toString() {
    return invariant + (job == null ? ": " : ": job " + job + " ") + sentence;
  }
}
