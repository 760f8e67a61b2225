package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Jobs and dependencies to add to a workflow.
 *
 * @param jobs read as those of a workflow that is handed in; what they wait for may be members
 * @param dependencies edges between members, or from and to the new jobs, by key
 */
record GrowthRequest(WorkflowRequest jobs, List<Added> dependencies) {
  private static final Set<String> CONDITIONS = Set.of("success", "done", "failure");

  /** That {@code to} waits for {@code from}. */
  record Added(String from, String to, String on, String pointer) {}

  /** The same, its jobs in that trace; null: in none. */
  GrowthRequest withTraceparent(@Nullable String traceparent) {
    return new GrowthRequest(jobs.withTraceparent(traceparent), dependencies);
  }

  /** Whether a job is to wait for more that is not one of the new ones. */
  boolean reachesBack() {
    Set<String> added = new HashSet<>();
    jobs.jobs().forEach(job -> added.add(job.key()));
    return dependencies.stream().anyMatch(edge -> !added.contains(edge.to()));
  }

  /** The body, for the API's description. */
  @Schema(name = "WorkflowGrowthRequest")
  public record Body(
      @Schema(description = "as of a workflow; dependsOn may name jobs that the workflow has")
          @Nullable List<WorkflowBody.WorkflowJobBody> jobs,
      @Schema(description = "between jobs that the workflow has, or new ones; to has not started")
          @Nullable List<DependencyBody> dependencies) {}

  /** An edge. */
  @Schema(name = "WorkflowDependency")
  public record DependencyBody(
      @Schema(required = true, description = "the key of the job that is waited for") String from,
      @Schema(required = true, description = "the key of the job that waits") String to,
      @Schema(
              enumeration = {"success", "done", "failure"},
              defaultValue = "success")
          @Nullable String on) {}

  static @Nullable GrowthRequest read(JsonReader in, int mostPayloadBytes) {
    if (!in.startObject()) {
      return null;
    }
    String base = in.pointer();
    GraphReader graph = new GraphReader(in, mostPayloadBytes, NodeReader.Mode.GROWTH);
    List<Added> added = new ArrayList<>();
    boolean given = false;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "jobs" -> {
          graph.read();
          given = true;
        }
        case "dependencies" -> {
          readDependencies(in, added);
          given = true;
        }
        default -> in.unknownField();
      }
    }
    in.violations().require(base + "/jobs", given);
    return new GrowthRequest(
        new WorkflowRequest(
            "growth",
            "cancel",
            graph.members(),
            graph.edges(),
            graph.outside(),
            WorkflowRequest.Extras.NONE),
        added);
  }

  private static void readDependencies(JsonReader in, List<Added> added) {
    String at = in.pointer();
    if (!in.startArray()) {
      return;
    }
    int count = 0;
    while (in.nextItem()) {
      count++;
      if (in.startObject()) {
        Added edge = readDependency(in);
        if (edge != null && count <= GraphReader.MOST_EDGES) {
          added.add(edge);
        }
      }
    }
    if (count > GraphReader.MOST_EDGES) {
      in.violations()
          .add(
              at,
              "Expected at most " + GraphReader.MOST_EDGES + " dependencies, not " + count + ".");
    }
  }

  private static @Nullable Added readDependency(JsonReader in) {
    String at = in.pointer();
    String from = null;
    String to = null;
    String on = NodeReader.SUCCESS;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "from" -> from = in.string();
        case "to" -> to = in.string();
        case "on" -> on = Fields.oneOf(in, CONDITIONS, on, "success, done or failure");
        default -> in.unknownField();
      }
    }
    in.violations().require(at + "/from", from != null);
    in.violations().require(at + "/to", to != null);
    return from == null || to == null ? null : new Added(from, to, on, at);
  }
}
