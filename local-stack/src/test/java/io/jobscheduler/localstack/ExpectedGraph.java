package io.jobscheduler.localstack;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.localstack.demo.GeneratedGraphs;
import io.jobscheduler.localstack.demo.SubmittedWorkflow;
import io.jobscheduler.localstack.demo.Verdict;
import io.jobscheduler.localstack.demo.WorkflowGraph;
import io.jobscheduler.localstack.demo.WorkflowGraphs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** A workflow graph with what is known about it from elsewhere than the system under test. */
record ExpectedGraph(
    WorkflowGraph graph,
    int edges,
    int levels,
    int widestLevel,
    int clusters,
    Duration totalWork,
    Duration criticalPath) {

  /**
   * The graphs of the folder (property {@code workflows.dir}, by default beside the checkout) with
   * {@code expected.csv}, or generated ones where it does not exist.
   */
  static List<ExpectedGraph> all() {
    String given = System.getProperty("workflows.dir", "");
    Path folder = given.isEmpty() ? Repository.find().defaultWorkflows() : Path.of(given);
    if (Files.isDirectory(folder)) {
      return given(folder);
    }
    if ("true".equals(System.getenv("CI"))) {
      throw new IllegalStateException("CI=true, and no workflow graphs in " + folder);
    }
    System.out.printf(
        "No workflow graphs in %s (-Dworkflows.dir): generated graphs of the same shapes instead%n",
        folder);
    return GeneratedGraphs.all().stream()
        .map(
            g ->
                new ExpectedGraph(
                    g.graph(),
                    g.graph().edges(),
                    g.levels(),
                    -1,
                    g.clusters(),
                    duration(g.graph().totalSeconds()),
                    duration(g.graph().criticalPathSeconds())))
        .toList();
  }

  private static List<ExpectedGraph> given(Path folder) {
    Map<String, WorkflowGraph> graphs =
        WorkflowGraphs.read(folder).stream().collect(Collectors.toMap(WorkflowGraph::name, g -> g));
    try {
      return Files.readAllLines(folder.resolve("expected.csv")).stream()
          .skip(1)
          .map(line -> row(graphs, line.split(",", -1)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ExpectedGraph row(Map<String, WorkflowGraph> graphs, String[] row) {
    return new ExpectedGraph(
        Objects.requireNonNull(graphs.get(row[0]), row[0]),
        Integer.parseInt(row[2]),
        Integer.parseInt(row[3]),
        Integer.parseInt(row[4]),
        Integer.parseInt(row[5]),
        duration(Double.parseDouble(row[6])),
        duration(Double.parseDouble(row[7])));
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  /**
   * What is wrong with the plan that the API makes of it, in words; empty when it is as expected.
   */
  List<String> faultsOfPlan(TestProject project) {
    JsonNode plan =
        project.api().post(project.path("/workflows/plan"), graph.submission(1)).success();
    List<String> faults = new ArrayList<>();
    compare(faults, "planned jobs", graph.tasks().size(), plan.path("jobs").asInt());
    compare(faults, "planned edges", edges, plan.path("edges").asInt());
    compare(faults, "planned levels", levels, plan.path("levels").asInt());
    compare(faults, "planned clusters", clusters, plan.path("clusters").asInt());
    if (widestLevel >= 0) {
      compare(faults, "jobs on the widest level", widestLevel, plan.path("widestLevel").asInt());
    }
    compare(faults, "ms of work", totalWork.toMillis(), millis(plan, "totalWork"));
    compare(
        faults,
        "ms of critical path",
        criticalPath.toMillis(),
        millis(plan.path("criticalPath"), "length"));
    return faults;
  }

  private static long millis(JsonNode from, String field) {
    return Duration.parse(from.path(field).asText()).toMillis();
  }

  /** What is wrong with the finished workflow, in words; empty when it is as expected. */
  List<String> faultsOf(SubmittedWorkflow finished) {
    SubmittedWorkflow.Progress progress = finished.progress();
    JsonNode workflow = progress.workflow();
    Verdict verdict = finished.verdict();
    List<String> faults = new ArrayList<>();
    if (!progress.state().equals("succeeded")) {
      faults.add(graph.name() + " " + progress.state());
    }
    compare(faults, "jobs", graph.tasks().size(), verdict.succeeded());
    compare(faults, "edges", edges, verdict.edges());
    compare(faults, "levels", levels, workflow.path("levels").asInt(-1));
    compare(faults, "clusters", clusters, workflow.path("clusters").asInt(-1));
    compare(faults, "order violations", 0, verdict.violations());
    return faults;
  }

  private void compare(List<String> faults, String what, long expected, long actual) {
    if (expected != actual) {
      faults.add(graph.name() + ": " + actual + " " + what + ", expected " + expected);
    }
  }
}
