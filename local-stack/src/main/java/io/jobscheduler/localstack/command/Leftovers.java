package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.chaos.ChaosCommand;
import io.jobscheduler.localstack.postgres.PostgresServer;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Processes that outlived a command which was itself killed. Ends exactly those. */
public final class Leftovers {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String POSTGRES = "postgres";

  /** The server ends last, and commands are not for others to end. */
  private static final Set<String> NO_SERVICES =
      Set.of(POSTGRES, RunningStack.SUPERVISOR, ChaosCommand.NAME);

  private Leftovers() {}

  /**
   * Ends those of every stack whose folder lies directly in this one, as of each scenario of a
   * chaos run; but not of one that {@code make up} runs. Call it only when no chaos run goes on
   * there. Returns whether there was anything to end.
   */
  public static boolean endAll(Path folder, Consumer<String> out) {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    boolean any = false;
    try (Stream<Path> found = Files.list(folder)) {
      for (Path home : found.filter(Files::isDirectory).sorted().toList()) {
        StackFolder stack = new StackFolder(home);
        if (RunningStack.supervisor(stack).running().isEmpty()) {
          any |= end(stack, out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return any;
  }

  /** Ends services, then PostgreSQL. Returns whether there was anything to end. */
  public static boolean end(StackFolder folder, Consumer<String> out) {
    List<ProcessHandle> services = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (PidFile file : folder.pidFiles()) {
      if (!NO_SERVICES.contains(file.name())) {
        file.running().ifPresent(services::add);
        file.running().ifPresent(process -> names.add(file.name()));
      }
    }
    PidFile postgresFile = folder.pidFile(POSTGRES);
    postgresFile.running().ifPresent(process -> names.add(POSTGRES));
    if (names.isEmpty()) {
      return false;
    }
    out.accept("Stopping what an earlier run left: " + String.join(", ", names) + " …");
    services.forEach(Signals.CONT::send);
    services.forEach(Signals.TERM::send);
    if (!Await.until(LIMIT, () -> services.stream().noneMatch(Processes::runs))) {
      services.forEach(Signals.KILL::send);
    }
    postgresFile.running().ifPresent(PostgresServer::stop);
    return true;
  }
}
