package io.jobscheduler.api.workflows;

import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.jobs.JobRequestReader;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a workflow out of a request body, or out of a member of one. */
public final class WorkflowRequestReader {
  static final int MOST_JOBS = GraphReader.MOST_JOBS;
  private static final Set<String> POLICIES = Set.of("cancel", "hold");
  private static final Set<String> KINDS = Set.of(WorkflowRequest.WORKFLOW, WorkflowRequest.BATCH);
  private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(1);
  private static final Duration LONGEST_DEADLINE = Duration.ofDays(3650);

  private final JsonReader in;
  private final int mostPayloadBytes;
  private final NodeReader.Mode mode;
  private final GraphReader graph;
  private String kind = WorkflowRequest.WORKFLOW;
  private @Nullable Instant deadlineAt;
  private @Nullable Duration deadlineIn;
  private final List<WorkflowRequest.Callback> callbacks = new ArrayList<>();

  private WorkflowRequestReader(JsonReader in, int mostPayloadBytes, NodeReader.Mode mode) {
    this.in = in;
    this.mostPayloadBytes = mostPayloadBytes;
    this.mode = mode;
    this.graph = new GraphReader(in, mostPayloadBytes, mode);
  }

  /** A workflow; null or incomplete when, noted, something is wrong with it. */
  public static @Nullable WorkflowRequest read(JsonReader in, int mostPayloadBytes) {
    return new WorkflowRequestReader(in, mostPayloadBytes, NodeReader.Mode.SUBMISSION).read();
  }

  /** Like {@link #read}, of a template that is stored: jobs and edges between them, no more. */
  public static @Nullable WorkflowRequest readTemplate(JsonReader in, int mostPayloadBytes) {
    return new WorkflowRequestReader(in, mostPayloadBytes, NodeReader.Mode.TEMPLATE).read();
  }

  private @Nullable WorkflowRequest read() {
    String base = in.pointer();
    if (!in.startObject()) {
      return null;
    }
    String name = null;
    String onFailure = "cancel";
    boolean jobsGiven = false;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Fields.name(in);
        case "onFailure" -> onFailure = Fields.oneOf(in, POLICIES, onFailure, "cancel or hold");
        case "jobs" -> {
          jobsGiven = true;
          graph.read();
        }
        default -> {
          if (mode == NodeReader.Mode.TEMPLATE || !takeMore(field)) {
            in.unknownField();
          }
        }
      }
    }
    in.violations().require(base + "/name", name != null);
    if (!jobsGiven) {
      in.violations().add(base + "/jobs", "Expected 1 to " + MOST_JOBS + " jobs, not 0.");
    }
    if (kind.equals(WorkflowRequest.BATCH)) {
      checkBatch(base);
    }
    return name == null
        ? null
        : new WorkflowRequest(
            name,
            onFailure,
            graph.members(),
            graph.edges(),
            graph.outside(),
            new WorkflowRequest.Extras(kind, deadlineAt, deadlineIn, callbacks, null));
  }

  private boolean takeMore(String field) {
    switch (field) {
      case "kind" -> kind = Fields.oneOf(in, KINDS, kind, "workflow or batch");
      case "deadline" -> readDeadline();
      case "callbacks" -> readCallbacks();
      default -> {
        return false;
      }
    }
    return true;
  }

  private void readDeadline() {
    if (in.beginsWith("P")) {
      deadlineIn = Fields.duration(in, SHORTEST_DEADLINE, LONGEST_DEADLINE);
    } else {
      deadlineAt = Fields.instant(in);
    }
  }

  private void readCallbacks() {
    if (!in.startObject()) {
      return;
    }
    String field;
    while ((field = in.nextField()) != null) {
      String event =
          switch (field) {
            case "onSuccess" -> "success";
            case "onFirstFailure" -> "first_failure";
            case "onCompletion" -> "completion";
            default -> null;
          };
      if (event == null) {
        in.unknownField();
        continue;
      }
      String at = in.pointer();
      JobRequest job = readCallback();
      if (job != null) {
        callbacks.add(new WorkflowRequest.Callback(event, job, at));
      }
    }
  }

  private @Nullable JobRequest readCallback() {
    if (!in.startObject()) {
      return null;
    }
    JobRequestReader job = JobRequestReader.inWorkflow(in, mostPayloadBytes);
    String field;
    while ((field = in.nextField()) != null) {
      if (!job.take(field)) {
        in.unknownField();
      }
    }
    return job.finish();
  }

  private void checkBatch(String base) {
    if (!graph.edges().isEmpty() || !graph.outside().isEmpty()) {
      in.violations().add(base + "/kind", "The jobs of a batch depend on nothing.");
    }
    for (WorkflowRequest.Member member : graph.members()) {
      if (member.node().gate() != null) {
        in.violations().add(member.node().pointer() + "/gate", "A batch has no gates.");
      }
    }
  }
}
