package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobOptions;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.jobs.JobRequestReader;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one job of a workflow: a job, a gate or a sub-workflow, and what it waits for. */
final class NodeReader {
  static final String SUCCESS = "success";
  static final String ALL_SUCCESS = "all_success";

  private static final Set<String> CONDITIONS = Set.of(SUCCESS, "done", "failure");
  private static final Set<String> JOINS =
      Set.of(ALL_SUCCESS, "all_done", "any_success", "none_failed");
  private static final Duration LONGEST = Duration.ofDays(365);

  /** In which request it stands. */
  enum Mode {
    /** A workflow that is handed in. */
    SUBMISSION,
    /** A schedule's template: jobs and edges only. */
    TEMPLATE,
    /** More jobs for a workflow: keys that the request does not have may be the workflow's. */
    GROWTH
  }

  /**
   * That it waits for a job, named by key or by id.
   *
   * @param onPointer where its outcome is given; null when it is not
   */
  record Dependency(
      @Nullable String key,
      @Nullable Long job,
      String on,
      String pointer,
      @Nullable String onPointer) {}

  private final JsonReader in;
  private final Mode mode;
  private final GraphReader graph;
  private final JobRequestReader job;
  private final List<Dependency> dependencies = new ArrayList<>();
  private String pointer = "";
  private @Nullable String key;
  private @Nullable Duration expected;
  private @Nullable String join;
  private @Nullable Gate gate;
  private @Nullable GraphReader inner;
  private boolean runsNothing;
  private @Nullable String optionPointer;
  private WorkflowRequest.@Nullable Member member;
  private int position = -1;

  NodeReader(JsonReader in, int mostPayloadBytes, Mode mode, GraphReader graph) {
    this.in = in;
    this.mode = mode;
    this.graph = graph;
    this.job = JobRequestReader.inWorkflow(in, mostPayloadBytes);
  }

  /** Its key; null when it was refused. */
  @Nullable String key() {
    return key;
  }

  /** Where it stands in the request. */
  String pointer() {
    return pointer;
  }

  /** It, once it has been read; null when it was refused. */
  WorkflowRequest.@Nullable Member member() {
    return member;
  }

  /** The jobs of the sub-workflow that it is; null when it is none. */
  @Nullable GraphReader inner() {
    return inner;
  }

  @Nullable String join() {
    return join;
  }

  List<Dependency> dependencies() {
    return dependencies;
  }

  /** Where edges to it lead. */
  int position() {
    return position;
  }

  /** Says where it stands in the graph. What is not needed for its edges is forgotten. */
  void stands(int at) {
    position = at;
    member = null;
    inner = null;
  }

  /** Reads it; false when, noted, there is no object. */
  boolean read() {
    if (!in.startObject()) {
      return false;
    }
    pointer = in.pointer();
    String field;
    while ((field = in.nextField()) != null) {
      if (!take(field)) {
        in.unknownField();
      }
    }
    in.violations().require(pointer + "/key", key != null);
    checkJoin();
    finish();
    return true;
  }

  private boolean take(String field) {
    switch (field) {
      case "key" -> key = Fields.name(in);
      case "dependsOn" -> readDependsOn();
      default -> {
        if (mode != Mode.TEMPLATE && takeMore(field)) {
          return true;
        }
        String at = in.pointer();
        if (!job.take(field)) {
          return false;
        }
        optionPointer = optionPointer == null ? at : optionPointer;
      }
    }
    return true;
  }

  private boolean takeMore(String field) {
    switch (field) {
      case "expectedDuration" -> expected = Fields.duration(in, LONGEST);
      case "join" -> {
        String given =
            Fields.oneOf(
                in, JOINS, ALL_SUCCESS, "all_success, all_done, any_success or none_failed");
        join = given.equals(ALL_SUCCESS) ? null : given;
      }
      case "gate" -> {
        runsNothing = true;
        gate = Gate.read(in);
      }
      case "workflow" -> {
        runsNothing = true;
        readWorkflow();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void readWorkflow() {
    if (!in.startObject()) {
      return;
    }
    String at = in.pointer();
    boolean given = false;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("jobs")) {
        given = true;
        inner = graph.inner();
        if (inner != null) {
          inner.read();
        } else {
          in.unread();
        }
      } else {
        in.unknownField();
      }
    }
    in.violations().require(at + "/jobs", given);
  }

  private void checkJoin() {
    if (join == null) {
      return;
    }
    for (Dependency dependency : dependencies) {
      if (dependency.onPointer() != null) {
        in.violations()
            .add(dependency.onPointer(), "Give either join or the outcome of each dependency.");
      }
    }
  }

  private void finish() {
    JobRequest request;
    if (runsNothing) {
      if (gate != null && inner != null) {
        in.violations().add(pointer + "/workflow", "Give either gate or workflow.");
      }
      if (optionPointer != null) {
        in.violations().add(optionPointer, "A gate or a sub-workflow runs no job of its own.");
      }
      if (expected != null) {
        in.violations()
            .add(pointer + "/expectedDuration", "A gate or a sub-workflow takes what it takes.");
      }
      request = gateJob(gate);
    } else {
      request = job.finish();
    }
    if (key != null && request != null) {
      member =
          new WorkflowRequest.Member(
              key, request, new WorkflowRequest.Node(expected, join, gate, pointer));
    }
  }

  /** What a gate is stored as: a job of the queue that every project has, which never runs. */
  static JobRequest gateJob(@Nullable Gate gate) {
    return new JobRequest(
        "gate",
        JobRequest.DEFAULT_QUEUE,
        gate == null ? null : gate.json(),
        JobRequest.DEFAULT_PRIORITY,
        null,
        null,
        1,
        null,
        JobOptions.NONE);
  }

  private void readDependsOn() {
    if (!in.startArray()) {
      return;
    }
    while (in.nextItem()) {
      if (in.isString()) {
        String parent = in.string();
        if (parent != null) {
          dependencies.add(new Dependency(parent, null, SUCCESS, in.pointer(), null));
        }
      } else if (in.startObject()) {
        readDependency();
      }
    }
  }

  private void readDependency() {
    String at = in.pointer();
    String parent = null;
    String id = null;
    String on = SUCCESS;
    String onPointer = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "key" -> parent = in.string();
        case "job" -> {
          if (mode == Mode.TEMPLATE) {
            in.unknownField();
          } else {
            id = in.string();
          }
        }
        case "on" -> {
          on = Fields.oneOf(in, CONDITIONS, SUCCESS, "success, done or failure");
          onPointer = in.pointer();
        }
        default -> in.unknownField();
      }
    }
    if (parent != null && id != null) {
      in.violations().add(at + "/job", "Give either key or job.");
    } else if (id != null) {
      Long number = JobIds.read(in.violations(), at + "/job", id);
      if (number != null) {
        dependencies.add(new Dependency(null, number, on, at + "/job", onPointer));
      }
    } else if (parent != null) {
      dependencies.add(new Dependency(parent, null, on, at + "/key", onPointer));
    } else {
      in.violations().require(at + "/key", false);
    }
  }
}
