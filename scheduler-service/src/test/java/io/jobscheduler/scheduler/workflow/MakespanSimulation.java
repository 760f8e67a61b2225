package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Runs a stored graph on 8 slots in virtual time: the claims, settles and releases are the real
 * ones, only the work between them takes no time. What ends at one virtual instant is settled
 * together, then all free slots are claimed for.
 */
final class MakespanSimulation implements AutoCloseable {
  private static final long WORKER = 77;

  /** Beyond so many edges in one settle, children are told after it. */
  private static final int WIDE_FAN = 500 / TaskGraph.SLOTS;

  private record Running(double end, int task, long job, long token) {}

  private final Connection connection;
  private long claims;

  MakespanSimulation(TestDatabase database) throws SQLException {
    connection = database.connect(Role.WORKER);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
    }
  }

  /**
   * Runs all jobs to their end; returns the virtual seconds that it took.
   *
   * @param jobs the ids of the graph's tasks, ascending
   * @param workflow null when they belong to none
   */
  double run(TaskGraph graph, int queue, Integer workflow, List<Long> jobs) throws SQLException {
    PriorityQueue<Running> running =
        new PriorityQueue<>(Comparator.comparingDouble(Running::end).thenComparing(Running::task));
    boolean[] ended = new boolean[graph.size()];
    int[] children = new int[graph.size()];
    graph.parents().forEach(of -> of.forEach(parent -> children[parent]++));
    double now = 0;
    int done = 0;
    while (done < graph.size()) {
      for (Running claimed : claim(queue, TaskGraph.SLOTS - running.size())) {
        int task = Collections.binarySearch(jobs, claimed.job());
        for (int parent : graph.parents().get(task)) {
          if (!ended[parent]) {
            throw new AssertionError(graph.name() + ": " + task + " started before " + parent);
          }
        }
        running.add(new Running(now + graph.seconds()[task], task, claimed.job(), claimed.token()));
      }
      if (running.isEmpty()) {
        throw new AssertionError(graph.name() + ": stranded after " + done + " jobs");
      }
      now = running.element().end();
      List<Running> ending = new ArrayList<>();
      while (!running.isEmpty() && running.element().end() == now) {
        ending.add(running.remove());
      }
      ending.forEach(task -> ended[task.task()] = true);
      done += ending.size();
      settle(workflow, ending);
      if (ending.stream().anyMatch(task -> children[task.task()] > WIDE_FAN)) {
        releaseWideFans();
      }
    }
    return now;
  }

  private List<Running> claim(int queue, int wanted) throws SQLException {
    List<Running> claimed = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT c.id, c.lease_token FROM jobs.claim(?, ?, ARRAY[?], ARRAY[?],"
                + " ARRAY[array_fill(0::bigint, ARRAY[10])],"
                + " ARRAY[array_fill(0::bigint, ARRAY[10])]) c")) {
      statement.setLong(1, WORKER);
      statement.setLong(2, ++claims);
      statement.setInt(3, queue);
      statement.setInt(4, wanted);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          claimed.add(new Running(0, 0, rows.getLong(1), rows.getLong(2)));
        }
      }
    }
    return claimed;
  }

  private void settle(Integer workflow, List<Running> ending) throws SQLException {
    int count = ending.size();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT count(*) FILTER (WHERE s.verdict = 'settled') FROM jobs.settle(?, ?, ?, ?, ?,"
                + " NULL, NULL, NULL, NULL, NULL, NULL, NULL) s")) {
      statement.setLong(1, WORKER);
      statement.setArray(2, array("int8", ending.stream().map(Running::job).toArray()));
      statement.setArray(3, array("int8", ending.stream().map(Running::token).toArray()));
      statement.setArray(4, array("int4", Collections.nCopies(count, workflow).toArray()));
      statement.setArray(5, array("text", Collections.nCopies(count, "succeeded").toArray()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        if (row.getInt(1) != count) {
          throw new AssertionError("settled " + row.getInt(1) + " of " + count);
        }
      }
    }
  }

  /** Wide fans go out after the settle, by whoever sees them first. */
  private void releaseWideFans() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT r.kind FROM jobs.release_pending(1000, NULL) r")) {
      boolean more = true;
      while (more) {
        try (ResultSet rows = statement.executeQuery()) {
          more = rows.next();
        }
      }
    }
  }

  private Array array(String type, Object[] values) throws SQLException {
    return connection.createArrayOf(type, values);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
