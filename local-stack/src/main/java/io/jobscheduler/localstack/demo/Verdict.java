package io.jobscheduler.localstack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What a finished workflow's graph shows, as the API gives it.
 *
 * @param jobs how many it has
 * @param succeeded how many of them succeeded
 * @param edges from parents to children
 * @param violations edges whose child started before its parent had finished
 * @param makespan from the workflow's submission to the end of its last job
 */
public record Verdict(int jobs, int succeeded, int edges, int violations, Duration makespan) {

  /**
   * Judges a workflow.
   *
   * @param graph the answer of {@code …/workflows/{id}/graph}
   * @param submittedAt when the workflow was created
   */
  public static Verdict of(JsonNode graph, Instant submittedAt) {
    Map<String, JsonNode> nodes = new HashMap<>();
    int succeeded = 0;
    Instant last = submittedAt;
    for (JsonNode node : graph.path("nodes")) {
      nodes.put(node.path("key").asText(), node);
      succeeded += node.path("state").asText().equals("succeeded") ? 1 : 0;
      if (node.hasNonNull("finishedAt")) {
        Instant finished = instant(node, "finishedAt");
        last = finished.isAfter(last) ? finished : last;
      }
    }
    int violations = 0;
    for (JsonNode edge : graph.path("edges")) {
      JsonNode parent = Objects.requireNonNull(nodes.get(edge.path("from").asText()));
      JsonNode child = Objects.requireNonNull(nodes.get(edge.path("to").asText()));
      violations += startedTooEarly(parent, child) ? 1 : 0;
    }
    return new Verdict(
        nodes.size(),
        succeeded,
        graph.path("edges").size(),
        violations,
        Duration.between(submittedAt, last));
  }

  private static boolean startedTooEarly(JsonNode parent, JsonNode child) {
    return child.hasNonNull("startedAt")
        && (!parent.hasNonNull("finishedAt")
            || instant(child, "startedAt").isBefore(instant(parent, "finishedAt")));
  }

  private static Instant instant(JsonNode node, String field) {
    return Instant.parse(node.path(field).asText());
  }
}
