package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.demo.GeneratedGraphs;
import io.jobscheduler.localstack.demo.SubmittedWorkflow;
import io.jobscheduler.localstack.demo.WorkflowGraph;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code kill -9} of a worker in the middle of its work: nothing is lost, nothing ends twice. */
@ExtendWith(SharedStack.class)
class WorkerLossE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LocalStack stack;
  private final TestProject project;
  private final Records records;

  WorkerLossE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
    records = new Records(project);
  }

  @Test
  void losesNothingWhenAnotherWorkerLives() {
    int jobs = 1_500;
    ServiceProcess victim =
        stack.startAnother(Service.WORKER, Map.of("JOBS_WORKER_SLOTS", SharedStack.SLOTS + ""));
    project.enqueue(jobs, Map.of("type", "sleep", "payload", Map.of("millis", 300)));
    awaitRunningBy(victim);

    victim.kill9();

    project.awaitFinished(jobs);
    records.showEachSucceededOnce(jobs);
    assertTrue(records.lostAttempts() > 0, "the kill hit no running job");
  }

  @Test
  void losesNothingWhenTheOnlyWorkerComesBack() {
    WorkflowGraph graph = largestGenerated();
    int jobs = graph.tasks().size();
    ServiceProcess worker = stack.process(Service.WORKER);
    SubmittedWorkflow workflow =
        SubmittedWorkflow.submit(project.api(), project.name(), graph, 0.005);
    project.awaitFinished(jobs / 4);

    worker.kill9();
    worker.start().awaitReady(LIMIT);

    project.awaitFinished(jobs);
    records.showEachSucceededOnce(jobs);
    assertTrue(records.lostAttempts() > 0, "the kill hit no running job");
    assertEquals(0, workflow.verdict().violations());
  }

  private static WorkflowGraph largestGenerated() {
    return GeneratedGraphs.all().stream()
        .map(GeneratedGraphs.Generated::graph)
        .max((a, b) -> a.tasks().size() - b.tasks().size())
        .orElseThrow();
  }

  private static final String RUNNING_BY_PROCESS =
      """
      SELECT w.pid FROM jobs.jobs j JOIN jobs.workers w ON w.id = j.worker_id
       WHERE j.state = 'running' AND j.project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  private void awaitRunningBy(ServiceProcess worker) {
    String pid = Long.toString(worker.pid());
    assertTrue(
        Await.until(LIMIT, () -> project.texts(RUNNING_BY_PROCESS).contains(pid)),
        "the second worker got no job");
  }
}
