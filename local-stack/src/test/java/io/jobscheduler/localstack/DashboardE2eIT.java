package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dashboard in a real browser, while jobs run. */
@ExtendWith(SharedStack.class)
class DashboardE2eIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int JOBS = 10 * SharedStack.SLOTS;

  private final LocalStack stack;
  private final TestProject project;

  DashboardE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
  }

  @Test
  void showsCountsMoveWithoutReload() throws IOException, InterruptedException {
    Process browser = startBrowser();
    List<JsonNode> seen = new ArrayList<>();
    try (BufferedReader lines = browser.inputReader()) {
      String line = lines.readLine();
      while (line != null) {
        JsonNode event = JSON.readTree(line);
        seen.add(event);
        if (event.has("live")) {
          project.enqueue(JOBS, Map.of("type", "sleep", "payload", Map.of("millis", 1_000)));
        }
        line = lines.readLine();
      }
    }

    assertEquals(0, browser.waitFor(), seen::toString);
    assertEquals(List.of(), seen.stream().filter(e -> e.has("fault")).toList());
    List<Integer> succeeded =
        seen.stream()
            .filter(e -> e.has("succeeded"))
            .map(e -> e.path("succeeded").asInt())
            .toList();
    assertEquals(JOBS, succeeded.get(succeeded.size() - 1), seen::toString);
    assertTrue(succeeded.stream().anyMatch(n -> n > 0 && n < JOBS), seen::toString);
    assertTrue(seen.stream().anyMatch(e -> e.path("running").asInt() > 0), seen::toString);
    assertTrue(seen.get(seen.size() - 1).path("stayed").asBoolean(), seen::toString);
  }

  private Process startBrowser() throws IOException {
    Path root = Repository.find().root();
    Path shots = SharedStack.TARGET.resolve("e2e-browser");
    Files.createDirectories(shots);
    ProcessBuilder builder =
        new ProcessBuilder(
                "node", root.resolve("local-stack/src/test/browser/dashboard.mjs").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder
        .environment()
        .putAll(
            Map.of(
                "WEBUI", root.resolve("dashboard-service/src/main/webui").toString(),
                "DASHBOARD", stack.dashboardUrl().toString(),
                "PROJECT", project.name(),
                "EMAIL", LocalStack.ADMIN_EMAIL,
                "PASSWORD", stack.adminPassword(),
                "JOBS", Integer.toString(JOBS),
                "SHOTS", shots.toString(),
                "CHROMIUM", chromium()));
    return builder.start();
  }

  private static String chromium() {
    String given = System.getenv().getOrDefault("CHROMIUM", "");
    return Stream.of(given, "/usr/bin/chromium", "/usr/bin/chromium-browser")
        .filter(path -> !path.isEmpty() && Files.isExecutable(Path.of(path)))
        .findFirst()
        .orElseThrow(
            () -> new AssertionError("Chromium is needed for this test: set CHROMIUM to its path"));
  }
}
