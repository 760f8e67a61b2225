package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.scheduler.workflow.StoredGraph.Order;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * How long real graphs take on 8 slots, over what they need at least: a plan by expected or
 * measured times is worth its cost, and nowhere costs time. Deterministic: time is virtual. Prints
 * the table of docs/workflows.md.
 */
class MakespanPgTest {
  /** The graphs of up to so many tasks take seconds; all of them, minutes. */
  private static final int QUICK = 210;

  private static final double MOST_EXPECTED = 1.10;
  private static final double MOST_MEASURED = 1.14;
  private static final double MOST_OVER_FIRST_COME = 1.02;

  /** No list schedule takes longer on 8 slots, over the lower bound (Graham 1969). */
  private static final double MOST_OF_ANY = 2 - 1.0 / TaskGraph.SLOTS;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private PlanLoop planning;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    planning =
        new PlanLoop(
            rig.leadership,
            rig.transactions,
            rig.dataSource,
            rig.agenda,
            rig.signals,
            Configs.of(WorkflowConfig.class),
            rig.loops,
            rig.clock);
    try (Connection connection = database.connect(Role.WORKER);
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT jobs.register_worker(77, 'host', 1, 'test', '{*/*}', 8)");
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Fails when a rank is the same for every job. */
  @Test
  void plansOfGraphsKeepTheirMakespanLow() throws Exception {
    check(
        TaskGraph.all(database).stream().filter(graph -> graph.size() <= QUICK).toList(),
        List.of(Order.EXPECTED, Order.MEASURED, Order.FIRST_COME));
  }

  @Test
  @Tag("long")
  void plansOfAllGraphsKeepTheirMakespanLow() throws Exception {
    check(TaskGraph.all(database), List.of(Order.values()));
  }

  private void check(List<TaskGraph> graphs, List<Order> orders) throws SQLException {
    Map<Order, Double> sums = new EnumMap<>(Order.class);
    System.out.println("| graph | jobs | " + orders + " |");
    for (TaskGraph graph : graphs) {
      Map<Order, Double> ratios = new EnumMap<>(Order.class);
      for (Order order : orders) {
        ratios.put(order, makespan(graph, order) / graph.lowerBound());
        sums.merge(order, ratios.get(order), Double::sum);
      }
      print(graph.name(), graph.size(), ratios, 1);
      for (Order order : List.of(Order.EXPECTED, Order.MEASURED)) {
        double over = ratios.get(order) / ratios.get(Order.FIRST_COME);
        assertTrue(
            ratios.get(order) <= MOST_OF_ANY && (over <= MOST_OVER_FIRST_COME || !graph.given()),
            () -> graph + " " + order + ": " + over + " of first come, first served");
      }
    }
    print("mean", graphs.stream().mapToInt(TaskGraph::size).sum(), sums, graphs.size());
    if (graphs.stream().allMatch(TaskGraph::given)) {
      assertTrue(sums.get(Order.EXPECTED) / graphs.size() <= MOST_EXPECTED, sums::toString);
      assertTrue(sums.get(Order.MEASURED) / graphs.size() <= MOST_MEASURED, sums::toString);
    }
  }

  private double makespan(TaskGraph graph, Order order) throws SQLException {
    StoredGraph stored = StoredGraph.submit(database, graph, order);
    if (order.planned()) {
      planning.runOnce();
    }
    try (MakespanSimulation simulation = new MakespanSimulation(database)) {
      return simulation.run(graph, stored.queue(), stored.workflow(), stored.jobs());
    }
  }

  private static void print(String name, int jobs, Map<Order, Double> ratios, int over) {
    System.out.println(
        ratios.values().stream()
            .map(ratio -> String.format(Locale.ROOT, "%.3f", ratio / over))
            .collect(Collectors.joining(" | ", "| " + name + " | " + jobs + " | ", " |")));
  }
}
