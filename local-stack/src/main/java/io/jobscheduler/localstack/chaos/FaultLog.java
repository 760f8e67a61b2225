package io.jobscheduler.localstack.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Every fault that came about, in {@code chaos-faults.json}: when, what, whom, how long. */
final class FaultLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  private FaultLog() {}

  /**
   * Writes it beside the report.
   *
   * @param faults by scenario
   */
  static Path write(Path folder, Map<String, List<InjectedFault>> faults) {
    ArrayNode all = JSON.createArrayNode();
    faults.forEach((scenario, some) -> some.forEach(fault -> add(all, scenario, fault)));
    Path file = folder.resolve("chaos-faults.json");
    try {
      Files.createDirectories(folder);
      Files.writeString(file, all.toPrettyString() + "\n");
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void add(ArrayNode all, String scenario, InjectedFault fault) {
    ObjectNode node = all.addObject();
    node.put("scenario", scenario);
    node.put("kind", fault.kind().label());
    node.put("target", fault.target());
    node.put("at", fault.at().toString());
    node.put("undoneAt", fault.undoneAt().toString());
    if (fault.measured()) {
      // null: what was looked for was not seen.
      node.putNull("recoveryMillis");
      fault.recovery().ifPresent(took -> node.put("recoveryMillis", took.toMillis()));
    }
  }
}
