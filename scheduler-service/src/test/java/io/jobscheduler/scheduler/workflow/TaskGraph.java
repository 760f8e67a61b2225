package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A graph of tasks that somebody has run: the type of each, the seconds that it took, and its
 * parents by position.
 *
 * @param lowerBound seconds that 8 slots need at least
 * @param given whether an independent program has computed that, for a real graph
 */
record TaskGraph(
    String name,
    List<String> types,
    double[] seconds,
    List<List<Integer>> parents,
    double lowerBound,
    boolean given) {
  static final int SLOTS = 8;

  int size() {
    return seconds.length;
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * The graphs of the folder that {@code workflows.dir} names, by default beside the checkout;
   * where there is none, generated ones.
   */
  static List<TaskGraph> all(TestDatabase database) throws SQLException {
    Path folder = Path.of(System.getProperty("workflows.dir", "../../shared/data/workflows"));
    if (!Files.isDirectory(folder)) {
      if ("true".equals(System.getenv("CI"))) {
        throw new IllegalStateException("CI=true, and no workflow graphs in " + folder);
      }
      System.out.printf("No workflow graphs in %s (-Dworkflows.dir): generated ones%n", folder);
      return List.of(
          generated("fork-join", 1, 40, 1),
          generated("staged", 1, 9, 17, 9, 3, 1),
          generated("many-roots", 60, 20, 1));
    }
    List<TaskGraph> graphs = new ArrayList<>();
    try (Connection connection = database.connect(Role.OWNER)) {
      for (String line : Files.readAllLines(folder.resolve("expected.csv")).subList(1, 24)) {
        String[] row = line.split(",", -1);
        String json = Files.readString(folder.resolve(row[0] + ".json"));
        graphs.add(read(connection, row[0], json, Double.parseDouble(row[8])));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return graphs;
  }

  private static TaskGraph read(Connection connection, String name, String json, double lowerBound)
      throws SQLException {
    List<Integer> ids = new ArrayList<>();
    List<String> types = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    List<List<Integer>> parentIds = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT t.id, t.name, t.runtime_s, t.parents FROM json_to_recordset(?::json -> 'tasks')"
                + " AS t (id int, name text, runtime_s float8, parents int[])")) {
      statement.setString(1, json);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getInt("id"));
          types.add(rows.getString("name"));
          seconds.add(rows.getDouble("runtime_s"));
          parentIds.add(List.of((Integer[]) rows.getArray("parents").getArray()));
        }
      }
    }
    List<List<Integer>> parents =
        parentIds.stream().map(of -> of.stream().map(ids::indexOf).distinct().toList()).toList();
    return new TaskGraph(
        name,
        types,
        seconds.stream().mapToDouble(Double::doubleValue).toArray(),
        parents,
        lowerBound,
        true);
  }

  /** Levels of the given widths, with two parents a task, and a type a level. */
  private static TaskGraph generated(String name, int... widths) {
    Random random = new Random(name.hashCode());
    List<String> types = new ArrayList<>();
    List<List<Integer>> parents = new ArrayList<>();
    int before = 0;
    for (int level = 0; level < widths.length; level++) {
      int first = types.size();
      for (int i = 0; i < widths[level]; i++) {
        types.add("level" + level);
        int span = first - before;
        parents.add(
            level == 0
                ? List.of()
                : List.of(before + i % span, before + (i + span / 2) % span).stream()
                    .distinct()
                    .toList());
      }
      before = first;
    }
    double[] seconds = random.doubles(types.size(), 0.1, 100).toArray();
    double[] end = new double[seconds.length];
    for (int task = 0; task < end.length; task++) {
      end[task] =
          seconds[task] + parents.get(task).stream().mapToDouble(p -> end[p]).max().orElse(0);
    }
    double longest = Arrays.stream(end).max().orElse(0);
    double work = Arrays.stream(seconds).sum();
    return new TaskGraph(name, types, seconds, parents, Math.max(longest, work / SLOTS), false);
  }
}
