package io.jobscheduler.localstack.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<Process> started = new ArrayList<>();
  private final List<String> said = new ArrayList<>();
  @TempDir Path folder;

  @AfterEach
  void endAll() {
    started.forEach(Process::destroyForcibly);
  }

  private ProcessHandle left(String scenario, String name) throws IOException {
    Process process = new ProcessBuilder("sh", "-c", "read line").start();
    started.add(process);
    new StackFolder(folder.resolve(scenario)).pidFile(name).write(process.toHandle());
    return process.toHandle();
  }

  @Test
  void endsWhatEveryStackInTheFolderLeftAlsoWhatStandsStill() throws IOException {
    ProcessHandle worker = left("mix", "worker-service-1");
    ProcessHandle pooler = left("kills", "pgbouncer");
    Signals.STOP.send(worker);

    assertTrue(Leftovers.endAll(folder, said::add));

    assertTrue(Processes.awaitEnd(worker, LIMIT));
    assertTrue(Processes.awaitEnd(pooler, LIMIT));
    assertEquals(2, said.size(), said.toString());
  }

  @Test
  void leavesAStackThatIsBeingRun() throws IOException {
    ProcessHandle service = left("up", "api-service");
    left("up", RunningStack.SUPERVISOR);

    assertFalse(Leftovers.endAll(folder, said::add));

    assertTrue(Processes.runs(service));
  }

  @Test
  void findsNothingWhereNothingRuns() {
    assertFalse(Leftovers.endAll(folder, said::add));
    assertFalse(Leftovers.endAll(folder.resolve("missing"), said::add));
    assertEquals(List.of(), said);
  }
}
