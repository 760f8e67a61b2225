package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code kill -9} of PostgreSQL in the middle of the work, then a start: nobody restarts us. */
@ExtendWith(SharedStack.class)
class DatabaseLossE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LocalStack stack;
  private final TestProject project;

  DatabaseLossE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
  }

  private static final String RUNNING =
      """
      SELECT count(*) FROM jobs.jobs
       WHERE state = 'running' AND project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  /** Other tests have ended some. */
  private List<ServiceProcess> living() {
    return stack.processes().stream().filter(ServiceProcess::isAlive).toList();
  }

  @Test
  void runningJobsGoOnAndAllServicesComeBackByThemselves() {
    List<Long> pids = living().stream().map(ServiceProcess::pid).toList();
    int running = SharedStack.SLOTS / 2;
    int waiting = 200;
    project.enqueue(running, Map.of("type", "sleep", "payload", Map.of("millis", 6_000)));
    assertTrue(Await.until(LIMIT, () -> project.number(RUNNING) == running), "they do not run");
    project.enqueue(waiting, Map.of("type", "echo", "delay", "PT1S"));

    stack.postgres().kill9();
    stack.postgres().start();

    project.awaitFinished(running + waiting);
    new Records(project).showEachSucceededOnce(running + waiting);
    assertEquals(pids, living().stream().map(ServiceProcess::pid).toList());
    for (ServiceProcess process : living()) {
      assertTrue(
          Await.until(LIMIT, () -> process.readiness().ready()),
          process.name() + " is not ready again");
    }
  }
}
