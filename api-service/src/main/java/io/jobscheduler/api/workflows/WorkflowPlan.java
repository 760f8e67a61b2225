package io.jobscheduler.api.workflows;

import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What a workflow would look like and how long it would take.
 *
 * @param jobs how many it has, gates and the jobs of sub-workflows included
 * @param edges dependencies between them
 * @param levels jobs of one level do not need each other
 * @param widestLevel how many jobs the widest of them has
 * @param clusters parts that have nothing to do with each other
 * @param totalWork the sum of all durations
 * @param criticalPath no number of slots finishes sooner
 * @param slots for which the makespan is reckoned
 * @param lowerBound the larger of the critical path and total work over slots
 * @param expectedMakespan of a list schedule by priority, then upward rank
 * @param nodes in the order of the request
 */
public record WorkflowPlan(
    int jobs,
    int edges,
    int levels,
    int widestLevel,
    int clusters,
    Duration totalWork,
    CriticalPath criticalPath,
    int slots,
    Duration lowerBound,
    Duration expectedMakespan,
    List<Node> nodes) {
  /** The longest path by duration. */
  public record CriticalPath(List<String> keys, Duration length) {}

  /**
   * A job of it.
   *
   * @param expectedDuration as the request gives it, else the mean of its type, else one second
   * @param durationFrom request, measured or default
   */
  @Schema(name = "PlannedJob")
  public record Node(
      String key,
      int level,
      int cluster,
      boolean critical,
      Duration expectedDuration,
      @Schema(enumeration = {"request", "measured", "default"}) String durationFrom) {}
}
