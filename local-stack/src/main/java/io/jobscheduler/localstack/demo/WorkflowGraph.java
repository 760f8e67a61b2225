package io.jobscheduler.localstack.demo;

import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A workflow's tasks with the time that each takes; parents are named by key. */
public record WorkflowGraph(String name, List<Task> tasks) {
  private static final int LONGEST_NAME = 128;

  /**
   * @param key unique in the graph, and a valid key of a workflow's job
   * @param seconds how long it runs
   * @param parents keys of the tasks that must have succeeded before
   */
  public record Task(String key, double seconds, List<String> parents) {}

  public WorkflowGraph {
    tasks = List.copyOf(tasks);
  }

  /** A name that the API accepts, made of any text and a number that makes it unique. */
  static String key(String text, long number) {
    String end = "." + number;
    String clean = text.replaceAll("[^A-Za-z0-9._:-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
    String start = clean.isEmpty() ? "task" : clean;
    return start.substring(0, Math.min(start.length(), LONGEST_NAME - end.length())) + end;
  }

  public int edges() {
    return tasks.stream().mapToInt(task -> task.parents().size()).sum();
  }

  /** The sum of all run times, in seconds. */
  public double totalSeconds() {
    return tasks.stream().mapToDouble(Task::seconds).sum();
  }

  /** The longest path, in seconds: no number of slots finishes sooner. */
  public double criticalPathSeconds() {
    Map<String, Integer> nodes = new HashMap<>();
    tasks.forEach(task -> nodes.put(task.key(), nodes.size()));
    Graph.Builder graph = Graph.builder(tasks.size());
    for (Task task : tasks) {
      int child = Objects.requireNonNull(nodes.get(task.key()));
      task.parents().forEach(p -> graph.edge(Objects.requireNonNull(nodes.get(p)), child));
    }
    double[] seconds = tasks.stream().mapToDouble(Task::seconds).toArray();
    return KahnPlanner.plan(graph.build(), seconds).criticalPathLength();
  }

  /** The shortest possible makespan on so many slots, in seconds. */
  public double lowerBoundSeconds(int slots) {
    return Math.max(criticalPathSeconds(), totalSeconds() / slots);
  }

  /** The body of the request that submits it, as jobs that sleep for their run time × scale. */
  public Map<String, Object> submission(double scale) {
    List<Map<String, Object>> jobs = new ArrayList<>();
    for (Task task : tasks) {
      jobs.add(
          Map.of(
              "key", task.key(),
              "type", "simulate",
              "payload", Map.of("runtimeSeconds", task.seconds(), "scale", scale),
              "expectedDuration",
                  Duration.ofMillis(Math.round(task.seconds() * scale * 1000)).toString(),
              "dependsOn", task.parents()));
    }
    return Map.of("name", name, "jobs", jobs);
  }
}
