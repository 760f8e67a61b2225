package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * SIGSTOP of a worker until others have run its jobs, then SIGCONT: it ends what is not its own.
 */
@ExtendWith(SharedStack.class)
class WorkerPauseE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LocalStack stack;
  private final TestProject project;

  WorkerPauseE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
  }

  private static final String RUNNING_BY_PROCESS =
      """
      SELECT w.pid FROM jobs.jobs j JOIN jobs.workers w ON w.id = j.worker_id
       WHERE j.state = 'running' AND j.project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  @Test
  void pausedWorkerChangesNothingOnceItGoesOn() {
    int jobs = SharedStack.SLOTS + 16;
    ServiceProcess paused =
        stack.startAnother(Service.WORKER, Map.of("JOBS_WORKER_SLOTS", SharedStack.SLOTS + ""));
    try {
      // From a queue with a limit nothing is claimed ahead: the first worker leaves some over.
      project.api().put(project.path("/queues/long"), Map.of("maxConcurrency", jobs)).success();
      project.enqueue(
          jobs, Map.of("type", "sleep", "queue", "long", "payload", Map.of("millis", 1_500)));
      String pid = Long.toString(paused.pid());
      assertTrue(
          Await.until(LIMIT, () -> project.texts(RUNNING_BY_PROCESS).contains(pid)),
          "the second worker got no job");

      paused.send(Signals.STOP);
      project.awaitFinished(jobs);
      paused.send(Signals.CONT);

      // Its sleeps are long over: had it any say, it would have said it by now.
      assertTrue(
          Await.until(LIMIT, () -> paused.log().shown(200).contains("Leases lost")),
          "it does not notice");
      assertTrue(Await.until(LIMIT, () -> paused.readiness().ready()), "it does not start over");
      Records records = new Records(project);
      records.showEachSucceededOnce(jobs);
      assertTrue(records.lostAttempts() > 0, "the pause hit no running job");
    } finally {
      paused.send(Signals.CONT);
      paused.stop(LIMIT);
    }
  }
}
