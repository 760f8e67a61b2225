package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The packaged worker as a process of its own. */
class PackagedWorkerIT {
  private static final Duration START = Duration.ofSeconds(60);

  @RegisterExtension final TestDatabase database = new TestDatabase();
  @TempDir Path folder;
  private Process process;
  private int port;
  private Jobs jobs;

  @BeforeEach
  void start() throws IOException {
    jobs = new Jobs(database);
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    process = launch(Map.of());
  }

  private Process launch(Map<String, String> more) throws IOException {
    Path secret = Files.writeString(folder.resolve("password"), Role.WORKER.password() + "\n");
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                Path.of("target", "quarkus-app", "quarkus-run.jar").toString()));
    Map<String, String> env = builder.environment();
    env.put("JOBS_DB_URL", database.url());
    env.put("JOBS_DB_USERNAME", Role.WORKER.databaseName());
    env.put("JOBS_DB_PASSWORD_FILE", secret.toString());
    env.put("QUARKUS_MANAGEMENT_PORT", Integer.toString(port));
    env.put("QUARKUS_MANAGEMENT_HOST", "127.0.0.1");
    env.putAll(more);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("worker.log").toFile())
        .start();
  }

  @AfterEach
  void kill() throws Exception {
    process.destroyForcibly().waitFor();
  }

  @Test
  void runsJobsAndDrainsOnTermWithExitCodeZero() throws Exception {
    int queue = jobs.queue("default");
    Await.until("ready", START, () -> status("ready") == 200);
    assertEquals(200, status("live"));
    long echo = jobs.ready(queue, "echo", "{\"a\": 1E-3}");
    Await.until("echo done", () -> "succeeded".equals(jobs.state(echo)));
    assertEquals("{\"a\": 1E-3}", jobs.column("result", echo));
    long slow = jobs.ready(queue, "sleep", "{\"millis\": 2500}");
    Await.until("slow runs", () -> "running".equals(jobs.state(slow)));

    process.destroy();
    Await.until("not ready while it drains", () -> status("ready") == 503);
    assertEquals(200, status("live"));
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), this::log);
    assertEquals(0, process.exitValue(), this::log);
    assertEquals("succeeded", jobs.state(slow));
    assertEquals("0", database.sql("SELECT count(*) FROM workers WHERE stopped_at IS NULL"));
  }

  @Test
  void idleWorkerRunsAtMostTwoStatementsASecond() throws Exception {
    jobs.queue("default");
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE EXTENSION pg_stat_statements");
      Await.until("ready", START, () -> status("ready") == 200);
      Duration window = Duration.ofSeconds(10);
      statement.execute("SELECT pg_stat_statements_reset()");
      long start = System.nanoTime();
      Await.until(
          "ten seconds",
          Duration.ofSeconds(20),
          () -> System.nanoTime() - start > window.toNanos());
      try (ResultSet row =
          statement.executeQuery(
              """
              SELECT sum(s.calls), string_agg(s.calls || ' ' || s.query, E'\n' ORDER BY s.calls DESC)
                FROM pg_stat_statements s
               WHERE s.userid = 'jobs_worker'::regrole
                 AND s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
              """)) {
        row.next();
        double seconds = (System.nanoTime() - start) / 1e9;
        String listing = row.getString(2);
        // One beat and one poll may lie just inside both ends of the window.
        assertTrue(row.getInt(1) > 0 && row.getInt(1) <= 2 * seconds + 2, () -> listing);
      }
    }
  }

  @Test
  void refusesToStartWhenTheTimingsDoNotFit() throws Exception {
    process.destroyForcibly().waitFor();
    process = launch(Map.of("JOBS_WORKER_TIMEOUT", "PT5S"));
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), this::log);
    assertEquals(1, process.exitValue(), this::log);
    assertTrue(log().contains("jobs.worker.timeout is PT5S"), this::log);
  }

  /** Symptom: under a role whose default is not READ COMMITTED no claim ever succeeded. */
  @Test
  void worksUnderARoleThatDefaultsToSerializable() throws Exception {
    process.destroyForcibly().waitFor();
    try (Connection admin = database.superuser()) {
      admin
          .createStatement()
          .execute(
              """
              DO $$ BEGIN
                EXECUTE format('ALTER ROLE jobs_worker IN DATABASE %I'
                               ' SET default_transaction_isolation = serializable', current_database());
              END $$
              """);
    }
    process = launch(Map.of());
    long echo = jobs.ready(jobs.queue("default"), "echo", "{\"a\": 1}");
    Await.until("echo done", START, () -> "succeeded".equals(jobs.state(echo)));
    process.destroy();
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), this::log);
    assertEquals(0, process.exitValue(), this::log);
  }

  private int status(String probe) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/health/" + probe))
            .timeout(Duration.ofSeconds(2))
            .build();
    try {
      return HttpClient.newHttpClient()
          .send(request, HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("worker.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
