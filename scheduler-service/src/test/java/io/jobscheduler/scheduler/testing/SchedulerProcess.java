package io.jobscheduler.scheduler.testing;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged service as a process of its own. */
public final class SchedulerProcess implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final int port;
  private final Path log;

  private SchedulerProcess(Process process, int port, Path log) {
    this.process = process;
    this.port = port;
    this.log = log;
  }

  /** Starts it against a database, under its own role, with further environment. */
  public static SchedulerProcess start(
      String name, TestDatabase database, Map<String, String> environment) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path log = Files.createTempFile(Path.of("target"), name + "-", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            "target/quarkus-app/quarkus-run.jar");
    builder.environment().put("JOBS_DB_URL", database.url());
    builder.environment().put("JOBS_DB_USERNAME", Role.SCHEDULER.databaseName());
    builder.environment().put("JOBS_DB_PASSWORD", Role.SCHEDULER.password());
    builder.environment().put("QUARKUS_MANAGEMENT_PORT", Integer.toString(port));
    builder.environment().put("QUARKUS_HTTP_HOST", "127.0.0.1");
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    return new SchedulerProcess(builder.start(), port, log);
  }

  /** The answer of a probe: {@code live} or {@code ready}; status 0 when nobody answers. */
  public Answer probe(String which) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/health/" + which))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(answer.statusCode(), answer.body());
    } catch (IOException e) {
      return new Answer(0, e.toString());
    }
  }

  /** What Prometheus would read. */
  public String metrics() throws IOException, InterruptedException {
    return HTTP.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/metrics"))
                .timeout(Duration.ofSeconds(5))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** A probe's status and body. */
  public record Answer(int status, String body) {}

  /** Waits until the readiness probe answers 200. */
  public void awaitReady() throws Exception {
    try {
      Await.until("ready", Duration.ofSeconds(30), () -> probe("ready").status() == 200);
    } catch (AssertionError e) {
      throw new AssertionError(log(), e);
    }
  }

  /** SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Sends a signal by its name, such as {@code STOP}. */
  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
        .redirectOutput(new File("/dev/null"))
        .start()
        .waitFor();
  }

  /** SIGTERM; returns the exit code. */
  public int terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(15, TimeUnit.SECONDS)) {
      throw new AssertionError("did not stop within 15 s: " + log());
    }
    return process.exitValue();
  }

  /** Waits for the process to end by itself; returns the exit code. */
  public int awaitExit() throws InterruptedException {
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("did not end within 30 s: " + log());
    }
    return process.exitValue();
  }

  /** The process' id. */
  public long pid() {
    return process.pid();
  }

  /** All that it has logged. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor(10, TimeUnit.SECONDS);
  }
}
