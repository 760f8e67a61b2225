package io.jobscheduler.api.jobs;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a job waits for.
 *
 * @param dependsOn the first 1,000 of its dependencies, by the parents' ids
 * @param join all_done, any_success or none_failed; null: all_success, each dependency as it says
 * @param gate join, time, signal or approval: no worker runs it; null: an ordinary job
 */
public record JobGraph(
    List<Dependency> dependsOn,
    @Schema(enumeration = {"all_done", "any_success", "none_failed"}) @Nullable String join,
    @Schema(enumeration = {"join", "time", "signal", "approval"}) @Nullable String gate) {
  /** Of a job that waits for no other. */
  static final JobGraph NONE = new JobGraph(List.of(), null, null);

  static final int MOST_SHOWN = 1_000;

  /**
   * That it waits for a job.
   *
   * @param job its id; null, like the key, when it is of a queue that the caller's key does not
   *     reach
   * @param key its key in the workflow of both; null when it is no member of that
   * @param on success, done or failure
   * @param outcome how it ended; null: it has not
   * @param met whether it holds this job back no longer
   */
  @Schema(name = "JobDependencyState")
  public record Dependency(
      @Nullable String job,
      @Nullable String key,
      @Schema(enumeration = {"success", "done", "failure"}) String on,
      @Schema(enumeration = {"succeeded", "dead", "cancelled", "skipped"}) @Nullable String outcome,
      boolean met) {}
}
