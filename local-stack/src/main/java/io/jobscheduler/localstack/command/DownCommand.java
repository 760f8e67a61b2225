package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Ends what {@code make up} runs, from another terminal. */
final class DownCommand {
  /** More than the supervisor grants its services and PostgreSQL together. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final StackFolder folder;
  private final Consumer<String> out;

  DownCommand(StackFolder folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
  }

  int run() {
    Optional<ProcessHandle> supervisor = RunningStack.supervisor(folder).running();
    if (supervisor.isPresent()) {
      out.accept("Stopping …");
      Signals.TERM.send(supervisor.get());
      if (!Processes.awaitEnd(supervisor.get(), LIMIT)) {
        throw new StackFailure(
            "make up (process " + supervisor.get().pid() + ") has not ended within 90 s.");
      }
    }
    boolean left = Leftovers.end(folder, out);
    RunningStack.supervisor(folder).delete();
    out.accept(supervisor.isPresent() || left ? "Stopped." : "Nothing was running.");
    return 0;
  }
}
