package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.chaos.ChaosCommand;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Ends what {@code make up} runs, from another terminal, and what a {@code make chaos} left that
 * was itself killed. A chaos run that is under way goes on.
 */
final class DownCommand {
  /** More than the supervisor grants its services and PostgreSQL together. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final StackFolder folder;
  private final Path chaos;
  private final Consumer<String> out;

  /**
   * Of that folder.
   *
   * @param chaos where chaos runs keep their stacks
   */
  DownCommand(StackFolder folder, Path chaos, Consumer<String> out) {
    this.folder = folder;
    this.chaos = chaos;
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
    boolean left = Leftovers.end(folder, out) | endChaos();
    RunningStack.supervisor(folder).delete();
    out.accept(supervisor.isPresent() || left ? "Stopped." : "Nothing was running.");
    return 0;
  }

  private boolean endChaos() {
    Optional<ProcessHandle> running = ChaosCommand.supervisor(chaos).running();
    if (running.isPresent()) {
      out.accept("make chaos runs (process %d) and goes on.".formatted(running.get().pid()));
      return false;
    }
    return Leftovers.endAll(chaos, out);
  }
}
