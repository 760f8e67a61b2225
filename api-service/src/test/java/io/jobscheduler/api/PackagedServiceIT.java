package io.jobscheduler.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service as real processes. */
class PackagedServiceIT {
  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Pattern API_AT = Pattern.compile("Listening on: (http://[^ ]+?)\\. ");
  private static final Pattern HEALTH_AT =
      Pattern.compile("Management interface listening on (http://\\S+?)\\.\\s");

  @RegisterExtension final TestDatabase database = TestDatabase.empty();
  @TempDir Path folder;

  private final List<Process> processes = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private Path master;
  private Path password;
  private Path log;

  @BeforeEach
  void makeKey() throws IOException {
    master = folder.resolve("master");
    password = folder.resolve("password");
    log = folder.resolve("log");
    Files.writeString(master, Base64.getEncoder().encodeToString(new byte[32]));
  }

  @AfterEach
  void stopProcesses() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
  }

  private Process run(Path output, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dquarkus.http.port=0",
            "-Dquarkus.http.host=127.0.0.1",
            "-Dquarkus.management.port=0",
            "-Dquarkus.shutdown.delay=0S",
            "-Dquarkus.log.console.json.enabled=false"));
    List.of(arguments).stream().filter(a -> a.startsWith("-")).forEach(command::add);
    command.addAll(List.of("-jar", JAR.toString()));
    List.of(arguments).stream().filter(a -> !a.startsWith("-")).forEach(command::add);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("JOBS_ACCESS_MASTER_KEY_FILE", master.toString());
    builder.environment().put("JOBS_DB_URL", database.url());
    builder.environment().put("JOBS_DB_PASSWORD", Role.API.password());
    builder.environment().putAll(environment);
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private Process migrate(Path output) throws IOException {
    return run(
        output,
        Map.of(
            "JOBS_DB_USERNAME", Role.OWNER.databaseName(),
            "JOBS_MIGRATE_ADMIN_PASSWORD_FILE", password.toString()),
        "migrate");
  }

  private Process serve(String... arguments) throws IOException {
    return run(log, Map.of("JOBS_DB_USERNAME", Role.API.databaseName()), arguments);
  }

  private static int exitCode(Process process) throws InterruptedException {
    assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS), "still running");
    return process.exitValue();
  }

  private String awaitInLog(Pattern pattern) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Matcher matcher = pattern.matcher(Files.readString(log));
      if (matcher.find()) {
        return matcher.group(1).replace("0.0.0.0", "127.0.0.1");
      }
      assertTrue(System.nanoTime() < deadline, Files.readString(log));
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private int health(String at, String which) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(at + "/q/health/" + which))).statusCode();
  }

  private void awaitReady(String at) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (health(at, "ready") != 200) {
      assertTrue(System.nanoTime() < deadline, Files.readString(log));
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  @Test
  void waitsForItsSchemaThenWorksAndEndsWhenOvertaken() throws Exception {
    Process service = serve();
    String api = awaitInLog(API_AT);
    String health = awaitInLog(HEALTH_AT);
    assertEquals(200, health(health, "live"));
    assertEquals(503, health(health, "ready"));
    HttpResponse<String> early = login(api, "x");
    assertEquals(503, early.statusCode(), early.body());
    assertEquals("5", early.headers().firstValue("Retry-After").orElse(""));

    // Two at once: both end well, one admin.
    Process first = migrate(folder.resolve("first"));
    Process second = migrate(folder.resolve("second"));
    assertEquals(0, exitCode(first), Files.readString(folder.resolve("first")));
    assertEquals(0, exitCode(second), Files.readString(folder.resolve("second")));
    assertEquals("1", database.sql("SELECT count(*) FROM users"));
    awaitReady(health);

    HttpResponse<String> login = login(api, Files.readString(password).strip());
    assertEquals(200, login.statusCode(), login.body());
    String token = new ObjectMapper().readTree(login.body()).path("accessToken").asText();
    HttpResponse<String> job =
        send(
            HttpRequest.newBuilder(URI.create(api + "/api/v1/projects/default/jobs"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"echo\",\"payload\":1e2}")));
    assertEquals(201, job.statusCode(), job.body());
    assertTrue(job.body().contains("\"payload\":1e2"), job.body());

    database.sql("INSERT INTO schema_versions (version, compat) VALUES (99, 'breaking')");
    health(health, "ready");
    assertEquals(70, exitCode(service), Files.readString(log));
    assertTrue(Files.readString(log).contains("deploy a newer build"), Files.readString(log));
  }

  private HttpResponse<String> login(String api, String secret)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(api + "/api/v1/auth/login"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"email\":\"admin@localhost\",\"password\":\"" + secret + "\"}")));
  }

  @Test
  void saysTryLaterWhilePostgresIsAway() throws Exception {
    run(
        log,
        Map.of(
            "JOBS_DB_USERNAME",
            Role.API.databaseName(),
            "JOBS_DB_URL",
            "jdbc:postgresql://127.0.0.1:1/x"));
    String api = awaitInLog(API_AT);
    String health = awaitInLog(HEALTH_AT);
    assertEquals(200, health(health, "live"));
    assertEquals(503, health(health, "ready"));
    HttpResponse<String> login = login(api, "x");
    // A token whose key cannot be looked up must not look like a bad one.
    String head = base64("{\"alg\":\"ES256\",\"kid\":\"k\"}");
    String token = head + "." + base64("{\"sub\":\"1\"}") + "." + base64("x".repeat(64));
    HttpResponse<String> me =
        send(
            HttpRequest.newBuilder(URI.create(api + "/api/v1/auth/me"))
                .header("Authorization", "Bearer " + token));
    for (HttpResponse<String> answer : List.of(login, me)) {
      assertEquals(503, answer.statusCode(), answer.body());
      assertEquals("5", answer.headers().firstValue("Retry-After").orElse(""));
      assertTrue(answer.body().contains("/problems/service-unavailable"), answer.body());
      assertFalse(answer.body().contains("Exception"), answer.body());
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void saysInOneLineWhyItCannotMigrate() throws Exception {
    Path output = folder.resolve("out");
    assertEquals(
        2,
        exitCode(
            run(
                output,
                Map.of("JOBS_DB_USERNAME", "jobs_owner", "JOBS_ACCESS_MASTER_KEY_FILE", "/absent"),
                "migrate")));
    assertOneLine(output, "master key file");
    assertEquals(
        3,
        exitCode(
            run(
                output,
                Map.of(
                    "JOBS_DB_USERNAME", "jobs_owner",
                    "JOBS_DB_URL", "jdbc:postgresql://127.0.0.1:1/x"),
                "migrate")));
    assertOneLine(output, "the database");
  }

  private static void assertOneLine(Path output, String words) throws IOException {
    List<String> lines = Files.readAllLines(output);
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).startsWith("migrate: failed: "), lines.toString());
    assertTrue(lines.get(0).contains(words), lines.toString());
  }

  @Test
  void refusesToStartWithAKeyItDoesNotKnow() throws Exception {
    Process service = serve("-Djobs.foo=1", "-Djobs.acess.token-lifetime=PT1H");
    assertFalse(exitCode(service) == 0);
    assertTrue(
        Files.readString(log).contains("jobs.acess.token-lifetime, jobs.foo"),
        Files.readString(log));
  }
}
