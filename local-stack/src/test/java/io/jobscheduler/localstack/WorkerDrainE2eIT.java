package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** SIGTERM, as at every deployment: a worker ends what runs and gives back what does not. */
@ExtendWith(SharedStack.class)
class WorkerDrainE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LocalStack stack;
  private final TestProject project;

  WorkerDrainE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
  }

  private static final String RUNNING =
      """
      SELECT count(*) FROM jobs.jobs
       WHERE state = 'running' AND project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  private static final String LIVE =
      """
      SELECT state || ' attempt ' || attempt FROM jobs.jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
       GROUP BY state, attempt ORDER BY 1
      """;

  private static final String ATTEMPTS =
      """
      SELECT DISTINCT attempt FROM jobs.finished_jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  @Test
  void givesUnstartedJobsBackAndFinishesRunningOnes() {
    // After many short jobs a worker claims ahead of its slots; then come long ones.
    int shortOnes = 5_000;
    int longOnes = 4 * SharedStack.SLOTS;
    ServiceProcess worker = stack.process(Service.WORKER);
    project.enqueue(shortOnes, Map.of("type", "echo"));
    project.enqueue(longOnes, Map.of("type", "sleep", "payload", Map.of("millis", 1_500)));
    assertTrue(
        Await.until(LIMIT, () -> project.number(RUNNING) > SharedStack.SLOTS),
        "the worker claims nothing ahead, so nothing can be given back");

    worker.send(Signals.TERM);
    OptionalInt exit = worker.awaitExit(LIMIT);

    assertEquals(OptionalInt.of(0), exit);
    assertEquals(List.of("ready attempt 0"), project.texts(LIVE));
    worker.start().awaitReady(LIMIT);
    project.awaitFinished(shortOnes + longOnes);
    new Records(project).showEachSucceededOnce(shortOnes + longOnes);
    assertEquals(List.of("1"), project.texts(ATTEMPTS), "an attempt was used up by the drain");
  }
}
