package io.jobscheduler.dashboard.packaged;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged dashboard-service as a process of its own. */
final class PackagedService implements AutoCloseable {
  static final HttpClient HTTP = HttpClient.newHttpClient();

  final int port = freePort();
  final int managementPort = freePort();
  private final Process process;

  /** Starts it with a small heap, so that a body held in memory would show. */
  PackagedService(TestDatabase database, int apiPort, Map<String, String> more) throws Exception {
    Path jar = Path.of("target", "quarkus-app", "quarkus-run.jar");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder =
        new ProcessBuilder(
            java.toString(),
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar.toString());
    builder
        .environment()
        .putAll(
            Map.of(
                "QUARKUS_HTTP_HOST", "127.0.0.1",
                "QUARKUS_HTTP_PORT", Integer.toString(port),
                "QUARKUS_MANAGEMENT_PORT", Integer.toString(managementPort),
                "JOBS_DB_URL", database.url(),
                "JOBS_DB_USERNAME", Role.DASHBOARD.databaseName(),
                "JOBS_DB_PASSWORD", Role.DASHBOARD.password(),
                "JOBS_DASHBOARD_API_URL", "http://127.0.0.1:" + apiPort));
    builder.environment().putAll(more);
    builder.redirectErrorStream(true);
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(new File("target/packaged-service.log")));
    process = builder.start();
    Await.until("the service answers", () -> process.isAlive() && answers());
  }

  private boolean answers() throws InterruptedException {
    try {
      return get("/favicon.svg").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofMinutes(2));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path));
  }

  HttpResponse<String> page(String path) throws IOException, InterruptedException {
    return send(request(path).header("Accept", "text/html,*/*;q=0.8"));
  }

  HttpResponse<String> health(String kind) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + managementPort + "/q/health/" + kind);
    return send(HttpRequest.newBuilder(address));
  }

  boolean ready() throws IOException, InterruptedException {
    return health("ready").statusCode() == 200;
  }

  /** Asks it to end as Kubernetes does; returns whether it did in time. */
  boolean terminate() throws InterruptedException {
    process.destroy();
    return process.waitFor(30, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
