package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.localstack.demo.SubmittedWorkflow;
import io.jobscheduler.localstack.demo.WorkflowGraph;
import io.jobscheduler.localstack.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real workflows, all at once: planned as an independent program computed, and run in order. */
@ExtendWith(SharedStack.class)
class WorkflowGraphsE2eIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final double TARGET_SECONDS = 15;

  private final TestProject project;

  WorkflowGraphsE2eIT(LocalStack stack) {
    project = TestProject.create(stack);
  }

  /** Without storing any: what the API says of each, to the millisecond. */
  @Test
  void plansEveryGraphAsAnotherProgramDid() {
    List<String> faults = new ArrayList<>();
    ExpectedGraph.all().forEach(graph -> faults.addAll(graph.faultsOfPlan(project)));
    assertEquals(List.of(), faults);
    assertEquals(
        0,
        project.number(
            "SELECT count(*) FROM jobs.workflows w WHERE w.project_id ="
                + " (SELECT p.id FROM jobs.projects p WHERE p.name = ?)"));
  }

  @Test
  void plansAndRunsEveryGraphInOrder() {
    List<ExpectedGraph> graphs = ExpectedGraph.all();
    double scale = TARGET_SECONDS / lowerBoundSeconds(graphs);

    List<SubmittedWorkflow> submitted = new ArrayList<>();
    for (ExpectedGraph expected : graphs) {
      submitted.add(
          SubmittedWorkflow.submit(project.api(), project.name(), expected.graph(), scale));
    }
    awaitEnd(submitted);

    List<String> faults = new ArrayList<>();
    for (int i = 0; i < graphs.size(); i++) {
      faults.addAll(graphs.get(i).faultsOf(submitted.get(i)));
    }
    assertEquals(List.of(), faults);
    new Records(project)
        .showEachSucceededOnce(graphs.stream().mapToInt(g -> g.graph().tasks().size()).sum());
  }

  private static double lowerBoundSeconds(List<ExpectedGraph> graphs) {
    double work = graphs.stream().mapToDouble(g -> g.graph().totalSeconds()).sum();
    double longest =
        graphs.stream().mapToDouble(g -> g.graph().criticalPathSeconds()).max().orElse(0);
    return Math.max(longest, work / SharedStack.SLOTS);
  }

  private static void awaitEnd(List<SubmittedWorkflow> submitted) {
    List<SubmittedWorkflow> running = new ArrayList<>(submitted);
    Await.until(
        LIMIT,
        () -> {
          running.removeIf(workflow -> workflow.progress().over());
          return running.isEmpty();
        });
    assertEquals(
        List.of(),
        running.stream().map(SubmittedWorkflow::graph).map(WorkflowGraph::name).toList(),
        "still running after " + LIMIT);
  }
}
