package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes may be started in any order. */
@ExtendWith(SharedStack.class)
class StartOrderE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A health address that answers, and says no. */
  private static final int NOT_READY = 503;

  @Test
  void servicesWaitForTheSchemaAndBecomeReadyOnceItIsThere() {
    Path folder = SharedStack.TARGET.resolve("e2e-start-order");
    SharedStack.delete(folder);
    try (LocalStack stack = SharedStack.builder(folder).unmigrated().start()) {
      for (ServiceProcess process : stack.processes()) {
        assertEquals(Optional.of(NOT_READY), firstAnswer(process), process.name());
      }
      stack.processes().forEach(p -> assertTrue(p.isAlive(), p.name() + " ended"));

      stack.migrate();

      stack.awaitReady();
      TestProject project = TestProject.create(stack);
      project.awaitState(project.enqueue(Map.of("type", "echo")), "succeeded");
    }
  }

  private static Optional<Integer> firstAnswer(ServiceProcess process) {
    return Await.value(
        LIMIT, () -> Optional.of(process.readiness().status()).filter(status -> status != 0));
  }
}
