package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.jobs.JobRequestReader;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a workflow out of a request body, or out of a member of one. Keys are resolved after the
 * last job has been read.
 */
public final class WorkflowRequestReader {
  static final int MOST_JOBS = 20_000;
  static final int MOST_EDGES = 200_000;
  private static final Set<String> CONDITIONS = Set.of("success", "done", "failure");
  private static final Set<String> POLICIES = Set.of("cancel", "hold");

  private record Reference(int child, String parentKey, String on, int index, boolean isObject) {
    String pointer(String base) {
      return base + "/jobs/" + child + "/dependsOn/" + index + (isObject ? "/key" : "");
    }
  }

  private final JsonReader in;
  private final int mostPayloadBytes;
  private final String base;
  private final List<WorkflowRequest.Member> members = new ArrayList<>();
  private final Map<String, Integer> positions = new HashMap<>();
  private final List<Reference> references = new ArrayList<>();
  private int jobs;
  private int edges;

  private WorkflowRequestReader(JsonReader in, int mostPayloadBytes) {
    this.in = in;
    this.mostPayloadBytes = mostPayloadBytes;
    this.base = in.pointer();
  }

  /** A workflow; null or incomplete when, noted, something is wrong with it. */
  public static @Nullable WorkflowRequest read(JsonReader in, int mostPayloadBytes) {
    return new WorkflowRequestReader(in, mostPayloadBytes).read();
  }

  private @Nullable WorkflowRequest read() {
    if (!in.startObject()) {
      return null;
    }
    String name = null;
    String onFailure = "cancel";
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Fields.name(in);
        case "onFailure" -> onFailure = oneOf(in.string(), POLICIES, onFailure, "cancel or hold");
        case "jobs" -> readJobs();
        default -> in.unknownField();
      }
    }
    in.violations().require(base + "/name", name != null);
    if (jobs < 1 || jobs > MOST_JOBS) {
      in.violations()
          .add(base + "/jobs", "Expected 1 to " + MOST_JOBS + " jobs, not " + jobs + ".");
    }
    if (edges > MOST_EDGES) {
      in.violations()
          .add(
              base + "/jobs",
              "Expected at most " + MOST_EDGES + " dependencies, not " + edges + ".");
    }
    List<WorkflowRequest.Edge> resolved = resolve();
    return name == null ? null : new WorkflowRequest(name, onFailure, members, resolved);
  }

  private void readJobs() {
    if (!in.startArray()) {
      return;
    }
    while (in.nextItem()) {
      readJob(jobs++);
    }
  }

  private void readJob(int position) {
    if (!in.startObject()) {
      return;
    }
    JobRequestReader job = JobRequestReader.inWorkflow(in, mostPayloadBytes);
    String key = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "key" -> {
          key = Fields.name(in);
          if (key != null && positions.putIfAbsent(key, position) != null) {
            in.reject("The key \"" + key + "\" is used twice.");
          }
        }
        case "dependsOn" -> readDependsOn(position);
        default -> {
          if (!job.take(field)) {
            in.unknownField();
          }
        }
      }
    }
    in.violations().require(base + "/jobs/" + position + "/key", key != null);
    JobRequest request = job.finish();
    if (key != null && request != null && position < MOST_JOBS) {
      members.add(new WorkflowRequest.Member(key, request));
    }
  }

  private void readDependsOn(int child) {
    if (!in.startArray()) {
      return;
    }
    int index = 0;
    while (in.nextItem()) {
      edges++;
      boolean isObject = !in.isString();
      String on = "success";
      String key = null;
      if (isObject) {
        if (in.startObject()) {
          String field;
          while ((field = in.nextField()) != null) {
            switch (field) {
              case "key" -> key = in.string();
              case "on" -> on = oneOf(in.string(), CONDITIONS, on, "success, done or failure");
              default -> in.unknownField();
            }
          }
          in.violations()
              .require(base + "/jobs/" + child + "/dependsOn/" + index + "/key", key != null);
        }
      } else {
        key = in.string();
      }
      if (key != null && edges <= MOST_EDGES) {
        references.add(new Reference(child, key, on, index, isObject));
      }
      index++;
    }
  }

  private List<WorkflowRequest.Edge> resolve() {
    List<WorkflowRequest.Edge> resolved = new ArrayList<>(references.size());
    // Parent and child in one number, so that a parent named twice is noticed.
    Set<Long> seen = new HashSet<>();
    for (Reference reference : references) {
      Integer parent = positions.get(reference.parentKey());
      if (parent == null) {
        in.violations()
            .add(reference.pointer(base), "No job has the key \"" + reference.parentKey() + "\".");
      } else if (!seen.add(((long) parent << 32) | reference.child())) {
        in.violations()
            .add(
                reference.pointer(base),
                "The job depends on \"" + reference.parentKey() + "\" twice.");
      } else {
        resolved.add(new WorkflowRequest.Edge(parent, reference.child(), reference.on()));
      }
    }
    return resolved;
  }

  private String oneOf(
      @Nullable String given, Set<String> choices, String otherwise, String expected) {
    if (given == null) {
      return otherwise;
    }
    if (!choices.contains(given)) {
      in.reject("Expected " + expected + ".");
      return otherwise;
    }
    return given;
  }
}
