package io.jobscheduler.localstack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.process.StackFailure;
import java.time.Instant;
import java.util.Set;

/** A workflow that the API has accepted. Asks the API anew at each call. */
public final class SubmittedWorkflow {
  private static final Set<String> TERMINAL = Set.of("succeeded", "dead", "cancelled", "skipped");

  private final ApiClient api;
  private final String path;
  private final WorkflowGraph graph;
  private final Instant submittedAt;

  private SubmittedWorkflow(ApiClient api, String path, WorkflowGraph graph, Instant submittedAt) {
    this.api = api;
    this.path = path;
    this.graph = graph;
    this.submittedAt = submittedAt;
  }

  /**
   * Submits a graph as jobs that sleep for their run time × scale.
   *
   * @throws StackFailure when the API refuses it
   */
  public static SubmittedWorkflow submit(
      ApiClient api, String project, WorkflowGraph graph, double scale) {
    String workflows = "/projects/" + project + "/workflows";
    JsonNode created = api.post(workflows, graph.submission(scale)).success();
    String path = workflows + "/" + created.path("id").asText();
    Instant at = Instant.parse(created.path("createdAt").asText());
    return new SubmittedWorkflow(api, path, graph, at);
  }

  /**
   * Where it stands.
   *
   * @param workflow the API's answer
   * @param finishedJobs jobs in a terminal state
   */
  public record Progress(JsonNode workflow, int finishedJobs) {
    public String state() {
      return workflow.path("state").asText();
    }

    public boolean over() {
      return !state().equals("running");
    }
  }

  public Progress progress() {
    JsonNode workflow = api.get(path).success();
    int finished = 0;
    for (String state : TERMINAL) {
      finished += workflow.path("counts").path(state).asInt();
    }
    return new Progress(workflow, finished);
  }

  /** Judges it; final once it is over. */
  public Verdict verdict() {
    return Verdict.of(api.get(path + "/graph").success(), submittedAt);
  }

  /** When the API accepted it, by the database's clock. */
  public Instant submittedAt() {
    return submittedAt;
  }

  public WorkflowGraph graph() {
    return graph;
  }
}
