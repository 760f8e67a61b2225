package io.jobscheduler.localstack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.localstack.Repository;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.command.RunningStack;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Gives a running stack all workflow graphs at once, watches them, and judges the outcome. */
public final class DemoCommand {
  static final String PROJECT = "default";
  private static final double TARGET_SECONDS = 50;

  private final StackFolder folder;
  private final Repository repository;
  private final PrintStream out;

  public DemoCommand(StackFolder folder, Repository repository, PrintStream out) {
    this.folder = folder;
    this.repository = repository;
    this.out = out;
  }

  /** Returns the exit code: 0 when every job succeeded and none started too early. */
  public int run() {
    RunningStack stack = RunningStack.find(folder);
    ApiClient api = stack.admin();
    List<WorkflowGraph> graphs = longestFirst(graphs());
    int slots = slots(api);
    double scale = TARGET_SECONDS / lowerBound(graphs, slots);
    int jobs = graphs.stream().mapToInt(graph -> graph.tasks().size()).sum();
    out.printf(
        "Submitting %d workflows, %,d jobs, to project %s: %,.0f s of work at %.4f of its run time on %d slots.%n",
        graphs.size(),
        jobs,
        PROJECT,
        graphs.stream().mapToDouble(WorkflowGraph::totalSeconds).sum(),
        scale,
        slots);
    out.printf("Watch them at %s%n", stack.dashboard());
    List<SubmittedWorkflow> submitted =
        graphs.stream().map(g -> SubmittedWorkflow.submit(api, PROJECT, g, scale)).toList();
    new DemoWatch(submitted, jobs, out).untilOver();
    return new DemoSummary(submitted, slots, scale).print(out) ? 0 : 1;
  }

  private List<WorkflowGraph> graphs() {
    String given = System.getenv().getOrDefault("WORKFLOWS_DIR", "").strip();
    Path workflows = given.isEmpty() ? repository.defaultWorkflows() : Path.of(given);
    List<WorkflowGraph> graphs = WorkflowGraphs.read(workflows);
    if (!graphs.isEmpty()) {
      return graphs;
    }
    out.printf(
        "No workflow graphs in %s (WORKFLOWS_DIR): generated ones of the same shapes instead.%n",
        workflows);
    return GeneratedGraphs.all().stream().map(GeneratedGraphs.Generated::graph).toList();
  }

  /** The longest path decides when all is over, and what was submitted first goes first. */
  private static List<WorkflowGraph> longestFirst(List<WorkflowGraph> graphs) {
    return graphs.stream()
        .sorted(Comparator.comparingDouble(WorkflowGraph::criticalPathSeconds).reversed())
        .toList();
  }

  private static int slots(ApiClient api) {
    int slots = 0;
    JsonNode page;
    String cursor = "";
    do {
      page = api.get("/projects/" + PROJECT + "/workers?limit=200" + cursor).success();
      for (JsonNode worker : page.path("items")) {
        if (worker.path("state").asText().equals("active")) {
          slots += worker.path("slots").asInt();
        }
      }
      cursor = "&cursor=" + page.path("nextCursor").asText();
    } while (page.path("nextCursor").isTextual());
    if (slots == 0) {
      throw new StackFailure("No worker is alive to run the demo.");
    }
    return slots;
  }

  /** All graphs together, unscaled: as long as the longest path, or as all work on all slots. */
  private static double lowerBound(List<WorkflowGraph> graphs, int slots) {
    double work = graphs.stream().mapToDouble(WorkflowGraph::totalSeconds).sum();
    double longest =
        graphs.stream().mapToDouble(WorkflowGraph::criticalPathSeconds).max().orElse(0);
    return Math.max(longest, work / slots);
  }
}
