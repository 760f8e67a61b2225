package io.jobscheduler.localstack;

import io.jobscheduler.localstack.process.ChildProcess;
import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** One run of {@code api-service migrate}. */
final class Migration {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private Migration() {}

  static void run(
      List<String> command, Map<String, String> environment, LogFile log, PidFile pidFile) {
    Map<String, String> variables = ServiceEnvironment.inherited(Service.API);
    variables.putAll(environment);
    log.putAside();
    ChildProcess process = ChildProcess.start(command, variables, log, pidFile);
    OptionalInt exit = process.awaitExit(LIMIT);
    if (exit.isEmpty()) {
      process.kill();
      throw new StackFailure(
          "The migration did not end within " + LIMIT.toSeconds() + " s. " + log.shown(20));
    }
    if (exit.getAsInt() != 0) {
      throw new StackFailure(
          "The migration failed (exit code " + exit.getAsInt() + "). " + log.shown(20));
    }
  }
}
