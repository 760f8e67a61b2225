package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A client that another's generator makes from docs/openapi.yaml: it compiles under the strictest
 * rules, and the API answers it as it is typed. Skipped with {@code -Dwebui.skip=true}, which says
 * that nothing is to need Node, and where there is no npm, but not in CI.
 */
@ExtendWith(SharedStack.class)
class GeneratedClientE2eIT {
  private static final Path LOGS = SharedStack.TARGET.resolve("e2e-client");
  private static final int MINUTES = 3;

  private final LocalStack stack;
  private final Path client = Repository.find().root().resolve("clients/typescript");

  GeneratedClientE2eIT(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void compilesAndIsAnsweredAsItIsTyped() throws IOException, InterruptedException {
    assumeFalse(Boolean.getBoolean("webui.skip"), "webui.skip: no Node");
    requireNpm();
    Map<String, String> environment =
        Map.of(
            "JOBS_API", stack.apiUrl().toString(),
            "JOBS_EMAIL", LocalStack.ADMIN_EMAIL,
            "JOBS_PASSWORD", stack.adminPassword());

    run("install", Map.of(), "npm", "ci", "--prefer-offline");
    run("check", Map.of(), "npm", "run", "check");
    String said = run("smoke", environment, "node", "dist/smoke.js");

    assertTrue(said.startsWith("smoke: "), said);
    assertEquals(1, said.lines().count(), said);
  }

  private static void requireNpm() throws InterruptedException {
    try {
      new ProcessBuilder("npm", "--version")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      String missing = "npm is needed to generate a client, and none is on the PATH.";
      if ("true".equals(System.getenv("CI"))) {
        fail(missing, e);
      }
      abort(missing);
    }
  }

  /** What it printed; a failure unless it ends well and in time. */
  private String run(String step, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Files.createDirectories(LOGS);
    Path log = LOGS.resolve(step + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command))
            .directory(client.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
      String said = Files.readString(log);
      assertTrue(ended, () -> step + " takes more than " + MINUTES + " minutes: " + said);
      assertEquals(0, process.exitValue(), () -> step + ": " + said);
      return said;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
