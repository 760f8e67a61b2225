package io.jobscheduler.localstack;

import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.service.Service;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checkout whose packaged services are run. */
public record Repository(Path root) {

  /** The checkout in which this process was started. */
  public static Repository find() {
    Path start = Path.of("").toAbsolutePath();
    for (@Nullable Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("api-service/pom.xml"))) {
        return new Repository(folder);
      }
    }
    throw new StackFailure(start + " is not inside a checkout of the Job Scheduler.");
  }

  /**
   * Checks that all four services are packaged.
   *
   * @throws StackFailure naming those that are not
   */
  void requirePackaged() {
    List<String> missing =
        Arrays.stream(Service.values())
            .filter(service -> !Files.exists(service.jar(root)))
            .map(Service::module)
            .toList();
    if (!missing.isEmpty()) {
      throw new StackFailure(
          "Not built yet: " + String.join(", ", missing) + ". Run: mvn -DskipTests package");
    }
  }

  /** Where the given workflow graphs lie unless told otherwise: beside the checkout. */
  public Path defaultWorkflows() {
    return root.resolve("../shared/data/workflows").normalize();
  }
}
