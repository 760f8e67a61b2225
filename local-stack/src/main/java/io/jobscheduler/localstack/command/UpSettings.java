package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.StackPorts;
import io.jobscheduler.localstack.service.Service;
import java.util.Map;
import java.util.function.Consumer;

/** The stack of {@code make up}: the usual ports, and slots for jobs that only sleep. */
final class UpSettings {
  private static final String SLOTS = "JOBS_WORKER_SLOTS";

  private UpSettings() {}

  /**
   * The stack, not yet started.
   *
   * @param variables of the environment: JOBS_UP_* choose ports, JOBS_WORKER_SLOTS the slots
   */
  static LocalStack stack(
      StackFolder folder, Map<String, String> variables, Consumer<String> progress) {
    StackPorts ports = StackPorts.configured(variables);
    ports.requireFree();
    return LocalStack.builder(folder.home())
        .ports(ports)
        // More than a worker of real work would have on a small machine: the demo's jobs sleep.
        .with(Service.WORKER, SLOTS, variables.getOrDefault(SLOTS, "64"))
        // Ctrl-C should not take the five minutes that a deployment grants.
        .with(Service.WORKER, "JOBS_WORKER_DRAIN_LIMIT", "PT10S")
        .quickStart()
        .progress(progress)
        .build();
  }
}
