package io.jobscheduler.localstack.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a packaged service is run on the Java of this JVM.
 *
 * @param quickStart compiles less well and sooner: half the processor time until ready (2 s instead
 *     of 4 s for api-service), but not the speed of a deployment
 */
public record JavaCommand(Path repository, boolean quickStart) {

  /** The words of the command, with its arguments. */
  public List<String> of(Service service, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx" + service.heap(), "-XX:+UseSerialGC"));
    words.add("-XX:+ExitOnOutOfMemoryError");
    if (quickStart) {
      words.add("-XX:TieredStopAtLevel=1");
    }
    words.addAll(List.of("-jar", service.jar(repository).toAbsolutePath().toString()));
    words.addAll(List.of(arguments));
    return words;
  }
}
