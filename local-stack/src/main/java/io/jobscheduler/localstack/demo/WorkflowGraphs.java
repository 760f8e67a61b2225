package io.jobscheduler.localstack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The given workflow graphs, which stay outside the repository. */
public final class WorkflowGraphs {
  private static final ObjectMapper JSON = new ObjectMapper();

  private WorkflowGraphs() {}

  /**
   * Reads every graph of a folder, by name; none when it does not exist.
   *
   * @throws StackFailure when a file is not a workflow graph
   */
  public static List<WorkflowGraph> read(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .sorted()
          .map(WorkflowGraphs::readFile)
          .toList();
    } catch (IOException e) {
      throw new StackFailure("Cannot read " + folder + ": " + e.getMessage(), e);
    }
  }

  private static WorkflowGraph readFile(Path file) {
    try {
      JsonNode root = JSON.readTree(file.toFile());
      Map<Long, String> keys = new HashMap<>();
      for (JsonNode task : root.path("tasks")) {
        long id = task.path("id").asLong();
        keys.put(id, WorkflowGraph.key(task.path("name").asText(), id));
      }
      List<WorkflowGraph.Task> tasks = new ArrayList<>();
      for (JsonNode task : root.path("tasks")) {
        List<String> parents = new ArrayList<>();
        task.path("parents").forEach(id -> parents.add(known(keys, id.asLong())));
        String key = known(keys, task.path("id").asLong());
        tasks.add(new WorkflowGraph.Task(key, task.path("runtime_s").asDouble(), parents));
      }
      return new WorkflowGraph(root.path("name").asText(), tasks);
    } catch (IOException | RuntimeException e) {
      throw new StackFailure("Not a workflow graph: " + file + " (" + e.getMessage() + ")", e);
    }
  }

  private static String known(Map<Long, String> keys, long id) {
    return Objects.requireNonNull(keys.get(id), "no task " + id);
  }
}
