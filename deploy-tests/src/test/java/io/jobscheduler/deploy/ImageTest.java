package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The one Dockerfile and what it may copy. No image is built here. */
class ImageTest {
  private final List<String> lines =
      Repository.read("docker/Dockerfile").lines().filter(l -> !l.startsWith("#")).toList();

  @Test
  void runsJavaItselfAsANumberedUserOnAPinnedBase() {
    String base = only("FROM ");
    assertTrue(base.matches("[a-z/-]+:25\\.[\\w.-]*\\d[\\w.-]*"), base);
    assertEquals("10001:10001", only("USER "));
    assertEquals("[\"java\", \"-jar\", \"/app/quarkus-run.jar\"]", only("ENTRYPOINT "));
  }

  @Test
  void manifestsRunAsTheImagesUser() {
    for (Workload workload : Overlay.rendered("prod").workloads()) {
      var security = workload.pod().getSecurityContext();
      assertEquals(
          only("USER "), security.getRunAsUser() + ":" + security.getRunAsGroup(), workload.name());
    }
  }

  @Test
  void everyCopiedFolderPassesTheIgnoreFile() {
    String ignore = Repository.read(".dockerignore");
    assertTrue(ignore.lines().anyMatch("*"::equals), "not an allow-list");
    for (String service : List.of("api", "worker", "scheduler", "dashboard")) {
      String folder = service + "-service/target/quarkus-app/";
      assertTrue(ignore.contains("!" + folder + "\n"), folder);
    }
    List<String> copied = lines.stream().filter(l -> l.startsWith("COPY ")).toList();
    assertEquals(5, copied.size());
    assertTrue(
        copied.stream()
            .allMatch(l -> l.contains("${SERVICE}/target/quarkus-app/") || l.contains("LICENSE")),
        copied.toString());
  }

  private String only(String instruction) {
    List<String> found = lines.stream().filter(l -> l.startsWith(instruction)).toList();
    assertEquals(1, found.size(), instruction);
    return found.get(0).substring(instruction.length()).strip();
  }
}
