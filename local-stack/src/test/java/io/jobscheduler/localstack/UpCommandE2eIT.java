package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code make up} and {@code make down} as a person uses them, with ports of the test's own. */
class UpCommandE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final StackFolder folder = new StackFolder(SharedStack.TARGET.resolve("e2e-up"));
  private final Map<String, String> ports = freePorts();
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void begin() {
    SharedStack.delete(folder.home());
  }

  @AfterEach
  void end() throws Exception {
    assertEquals(0, await(command("down", "end.txt")));
    assertEquals(
        List.of(), folder.pidFiles().stream().filter(f -> f.running().isPresent()).toList());
    for (Process process : started) {
      assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
    }
  }

  @Test
  void runsUntilInterruptedThenAgainOnItsData() throws Exception {
    Process first = command("up", "first.txt");
    awaitOutput("first.txt", "The Job Scheduler is running.");
    List<ProcessHandle> processes =
        folder.pidFiles().stream().flatMap(file -> file.running().stream()).toList();
    assertEquals(6, processes.size(), "the supervisor, PostgreSQL and four services");

    assertEquals(1, await(command("up", "second.txt")));
    assertTrue(output("second.txt").contains("is running already"), output("second.txt"));

    // As orchestrators do, it starts a service again that somebody has killed.
    PidFile worker = folder.pidFile(Service.WORKER.module());
    ProcessHandle killed = worker.running().orElseThrow();
    Signals.KILL.send(killed);
    awaitOutput("first.txt", "worker-service is back");

    // Ctrl-C.
    Signals.INT.send(first.toHandle());
    assertEquals(0, await(first), () -> output("first.txt"));
    processes.forEach(p -> assertFalse(Processes.runs(p), p.pid() + " was left"));
    assertTrue(log("postgres").contains("database system is shut down"), log("postgres"));

    command("up", "third.txt");
    awaitOutput("third.txt", "The Job Scheduler is running.");
    assertEquals(passwordLine("first.txt"), passwordLine("third.txt"), "not the same data");
  }

  @Test
  void saysWhichPortIsTaken() throws Exception {
    int port = Integer.parseInt(ports.get("JOBS_UP_DASHBOARD_PORT"));
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertEquals(1, await(command("up", "taken.txt")));
    }

    String said = output("taken.txt");
    assertTrue(said.contains("Port " + port + ", meant for dashboard-service, is taken"), said);
    assertFalse(said.contains("\tat "), said);
  }

  @Test
  void saysWhichServiceFailedAndStopsTheRest() throws Exception {
    ports.put("JOBS_WORKER_SLOTS", "none");

    assertEquals(1, await(command("up", "failed.txt")));

    String said = output("failed.txt");
    assertTrue(said.contains("worker-service ended before it was ready (exit code "), said);
    assertTrue(said.contains("Last lines of "), said);
    assertTrue(said.contains("Stopped."), said);
  }

  private static Map<String, String> freePorts() {
    StackPorts free = StackPorts.anyFree();
    Map<String, String> variables = new TreeMap<>();
    variables.put("JOBS_UP_POSTGRES_PORT", Integer.toString(free.postgres()));
    free.http().forEach((s, port) -> variables.put("JOBS_UP_" + s + "_PORT", port.toString()));
    free.health()
        .forEach((s, port) -> variables.put("JOBS_UP_" + s + "_HEALTH_PORT", port.toString()));
    return variables;
  }

  private Process command(String command, String outputFile) throws IOException {
    Path jar = SharedStack.TARGET.resolve("local-stack.jar");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Files.createDirectories(folder.home());
    ProcessBuilder builder =
        new ProcessBuilder(java, "-jar", jar.toString(), command)
            .redirectErrorStream(true)
            .redirectOutput(folder.home().resolve(outputFile).toFile());
    builder.environment().put("JOBS_UP_FOLDER", folder.home().toString());
    builder.environment().putAll(ports);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static int await(Process process) throws InterruptedException {
    assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), "has not ended");
    return process.exitValue();
  }

  private void awaitOutput(String file, String text) {
    assertTrue(Await.until(LIMIT, () -> output(file).contains(text)), () -> output(file));
  }

  private String passwordLine(String file) {
    return output(file).lines().filter(line -> line.contains("password")).findFirst().orElseThrow();
  }

  private String output(String file) {
    return read(folder.home().resolve(file));
  }

  private String log(String name) {
    return read(folder.log(name).path());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
