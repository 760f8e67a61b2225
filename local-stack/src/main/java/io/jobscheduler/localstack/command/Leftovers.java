package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.postgres.PostgresServer;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Processes that outlived a {@code make up} which was itself killed. Ends exactly those. */
public final class Leftovers {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String POSTGRES = "postgres";

  private Leftovers() {}

  /** Ends services, then PostgreSQL. Returns whether there was anything to end. */
  public static boolean end(StackFolder folder, Consumer<String> out) {
    List<ProcessHandle> services = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (PidFile file : folder.pidFiles()) {
      if (!file.name().equals(POSTGRES) && !file.name().equals(RunningStack.SUPERVISOR)) {
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
