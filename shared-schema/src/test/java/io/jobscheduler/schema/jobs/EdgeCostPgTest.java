package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What many edges cost in one request, in rows that the plans of its statements handle, those that
 * they throw away too: it grows with the edges, not with their square. Times are not looked at.
 */
class EdgeCostPgTest {
  private static final int FEW = 100;
  private static final int MANY = 800;

  /** Eight times as many edges; the square would be 64 times as much. */
  private static final int MOST_TIMES = 16;

  /** After so many calls a session may plan for any arguments, without knowing how many. */
  private static final int CALLS_TO_WARM = 8;

  private static final Pattern HANDLED =
      Pattern.compile("\"(Actual Rows|Actual Loops|Rows Removed by [^\"]+)\": ([0-9.]+)");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;
  private Sql sql;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
    sql = bulk.sql;
  }

  /** A request with so many edges, as a statement that answers {@code fine}. */
  private interface Request {
    String of(int edges) throws SQLException;
  }

  private void assertLinear(Request request) throws SQLException {
    try (Connection session = explaining()) {
      compare("new session", rows(session, request.of(FEW)), rows(session, request.of(MANY)));
      for (int i = 0; i < CALLS_TO_WARM; i++) {
        rows(session, request.of(5));
      }
      compare("old session", rows(session, request.of(FEW)), rows(session, request.of(MANY)));
    }
  }

  private static void compare(String session, double few, double many) {
    System.out.printf("%s: %.0f rows of %d edges, %.0f of %d%n", session, few, FEW, many, MANY);
    assertTrue(few > FEW, "no plans were seen");
    assertTrue(many < MOST_TIMES * few, session + ": " + few + " rows, then " + many);
  }

  /** A session that tells the plan of each statement, those inside functions too. */
  private Connection explaining() throws SQLException {
    Connection session = database.superuser();
    try (Statement statement = session.createStatement()) {
      statement.execute(
          "LOAD 'auto_explain'; SET auto_explain.log_analyze = on; SET auto_explain.log_timing ="
              + " off; SET auto_explain.log_nested_statements = on; SET auto_explain.log_format ="
              + " 'json'; SET auto_explain.log_level = 'notice'; SET auto_explain.log_min_duration"
              + " = 0");
    }
    return session;
  }

  private static double rows(Connection session, String request) throws SQLException {
    double rows = 0;
    try (Statement statement = session.createStatement()) {
      try (ResultSet answer = statement.executeQuery(request)) {
        answer.next();
        assertEquals("fine", answer.getString(1));
      }
      for (SQLWarning plan = statement.getWarnings(); plan != null; plan = plan.getNextWarning()) {
        rows += handled(String.valueOf(plan.getMessage()));
      }
    }
    return rows;
  }

  /** Rows that a plan's nodes give on or throw away; of each node they are told per loop. */
  private static double handled(String plan) {
    double sum = 0;
    double perLoop = 0;
    double loops = 0;
    Matcher matcher = HANDLED.matcher(plan);
    while (matcher.find()) {
      double number = Double.parseDouble(matcher.group(2));
      switch (matcher.group(1)) {
        case "Actual Rows" -> perLoop = number;
        case "Actual Loops" -> {
          loops = number;
          sum += perLoop * loops;
        }
        default -> sum += number * loops;
      }
    }
    return sum;
  }

  private List<Long> children(int count) {
    return sql.ids(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, has_dependencies)
        SELECT %d, %d, 'echo', 'blocked', 0, true FROM generate_series(1, %d) RETURNING id
        """
            .formatted(bulk.project, bulk.queue, count));
  }

  /** Half of them have ended. */
  private List<Long> parents(int count) {
    List<Long> parents = new ArrayList<>(bulk.ended("dead", count / 2));
    parents.addAll(sql.ready(bulk.queue, count - count / 2));
    return parents;
  }

  private String connect(List<Long> children, List<Long> parents) {
    return """
    SELECT CASE WHEN count(*) FILTER (WHERE c.kind = 'unknown') = 0 THEN 'fine' END
      FROM jobs.connect_jobs(%d, '{%s}', '{%s}', array_fill('done'::text, ARRAY[%d]), '{}') c
    """
        .formatted(bulk.project, list(children), list(parents), children.size());
  }

  private static String list(List<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  @Test
  void connectingEachOfManyJobsToAParentOfItsOwn() throws SQLException {
    assertLinear(edges -> connect(children(edges), parents(edges)));
  }

  @Test
  void connectingOneJobToManyParents() throws SQLException {
    assertLinear(edges -> connect(Collections.nCopies(edges, children(1).get(0)), parents(edges)));
  }

  @Test
  void connectingManyJobsToOneParent() throws SQLException {
    assertLinear(
        edges ->
            connect(children(edges), Collections.nCopies(edges, sql.ready(bulk.queue, 1).get(0))));
  }

  private Flow flow() {
    return new Flow(database, sql, bulk.project, bulk.queue, "cancel").job("a").job("z", "a");
  }

  private static List<String> keys(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> "n" + i).toList();
  }

  private static String jobs(int count) {
    return keys(1, count).stream()
        .map("{\"key\":\"%s\",\"type\":\"echo\"}"::formatted)
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** A chain of new jobs, each of which a member that waits needs, too. */
  @Test
  void addingManyJobsByHand() throws SQLException {
    assertLinear(
        edges -> {
          int jobs = edges / 2;
          List<String> parents = new ArrayList<>(List.of("a"));
          parents.addAll(keys(1, jobs - 1));
          parents.addAll(keys(1, jobs));
          List<String> children = new ArrayList<>(keys(1, jobs));
          children.addAll(Collections.nCopies(jobs, "z"));
          return """
          SELECT CASE WHEN string_agg(DISTINCT g.verdict, ' ') = 'added' THEN 'fine' END
            FROM jobs.add_members(%d, %d, '%s', '{%s}', NULL, '{%s}',
                   array_fill('success'::text, ARRAY[%d])) g
          """
              .formatted(
                  bulk.project,
                  flow().id,
                  jobs(jobs),
                  list(parents),
                  list(children),
                  children.size());
        });
  }

  /** What a handler adds: a chain, of which each part also waits for the handler's own job. */
  @Test
  void addingManyJobsByAHandler() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      assertLinear(
          edges -> {
            int jobs = edges / 2;
            Sql.Claimed by = flow().claim(worker, 1).get(0);
            List<String> parents = new ArrayList<>(Collections.nCopies(jobs, "a"));
            parents.addAll(keys(1, jobs - 1));
            List<String> children = new ArrayList<>(keys(1, jobs));
            children.addAll(keys(2, jobs));
            return """
            SELECT CASE WHEN string_agg(DISTINCT g.verdict, ' ') = 'added' THEN 'fine' END
              FROM jobs.grow_workflow(1, %d, %d, '%s', '{%s}', '{%s}',
                     array_fill('success'::text, ARRAY[%d])) g
            """
                .formatted(
                    by.id(),
                    by.token(),
                    jobs(jobs),
                    list(parents),
                    list(children),
                    children.size());
          });
    }
  }
}
