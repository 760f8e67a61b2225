package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.jobs.JobOptions;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes of a graph since a version, while other transactions are open. */
class GraphStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private SubmitStore submits;
  private GraphStore graphs;
  private int project;

  @BeforeEach
  void open() {
    submits = new SubmitStore(TestProjects.api(database));
    graphs = new GraphStore(TestProjects.api(database));
    project = TestProjects.create(database, "p");
  }

  private int chain(int jobs, List<WorkflowRequest.Outside> outside) {
    List<WorkflowRequest.Member> members = new ArrayList<>();
    List<WorkflowRequest.Edge> edges = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      members.add(
          new WorkflowRequest.Member(
              "k" + i,
              new JobRequest("t", "default", null, 4, null, null, 5, null, JobOptions.NONE)));
      if (i > 0) {
        edges.add(new WorkflowRequest.Edge(i - 1, i, "success"));
      }
    }
    WorkflowRequest request =
        new WorkflowRequest("w", "cancel", members, edges, outside, WorkflowRequest.Extras.NONE);
    return assertInstanceOf(SubmitStore.Accepted.class, submits.submit(project, request))
        .workflow()
        .id();
  }

  private WorkflowGraph since(int workflow, String version) {
    return graphs.findGraph(project, workflow, Long.valueOf(version)).orElseThrow();
  }

  private static List<String> keys(WorkflowGraph graph) {
    return graph.nodes().stream().map(WorkflowGraph.Node::key).toList();
  }

  private static String mark(int job) {
    return "UPDATE jobs.jobs SET state_reason = 'x' WHERE workflow_key = 'k" + job + "'";
  }

  private String version(int workflow) {
    return graphs.findGraph(project, workflow, null).orElseThrow().version();
  }

  @Test
  void onlyWhatHasChangedIsGivenAgain() {
    int workflow = chain(4, List.of());
    String before = version(workflow);
    assertEquals(List.of(), keys(since(workflow, before)));
    database.sql(mark(2));
    database.sql("UPDATE jobs.dependencies SET outcome = 'dead' WHERE parent_id = 1");
    WorkflowGraph changes = since(workflow, before);
    assertEquals(List.of("k2"), keys(changes));
    assertEquals("x", changes.nodes().get(0).stateReason());
    assertEquals(
        List.of("dead"), changes.edges().stream().map(WorkflowGraph.Edge::outcome).toList());
    assertFalse(changes.full());
    assertEquals(List.of(), keys(since(workflow, changes.version())));
  }

  /**
   * The one that is written first is seen last: it was written before the version and seen after.
   */
  @Test
  void aChangeThatCommitsLateIsNotMissed() throws SQLException {
    int workflow = chain(3, List.of());
    try (Connection late = database.connect(Role.OWNER);
        Statement statement = late.createStatement()) {
      late.setAutoCommit(false);
      statement.execute(mark(0));
      database.sql(mark(1));
      WorkflowGraph seen = graphs.findGraph(project, workflow, null).orElseThrow();
      database.sql(mark(2));
      late.commit();
      WorkflowGraph changes = since(workflow, seen.version());
      assertTrue(keys(changes).containsAll(List.of("k0", "k2")), keys(changes).toString());
    }
  }

  @Test
  void aJobThatMovesToTheOtherTableHasChanged() {
    int workflow = chain(2, List.of());
    String before = version(workflow);
    database.sql(
        "SELECT count(*) FROM jobs.cancel_jobs(%d, ARRAY[(SELECT id FROM jobs.jobs WHERE workflow_key = 'k0')], 'x', 'x')"
            .formatted(project));
    assertTrue(keys(since(workflow, before)).contains("k0"));
  }

  @Test
  void aVersionThatCannotBeComparedGivesAll() {
    int workflow = chain(2, List.of());
    WorkflowGraph future = since(workflow, "4000000000000");
    assertTrue(future.full());
    assertEquals(List.of("k0", "k1"), keys(future));
  }

  @Test
  void showsWhereEdgesComeFromThatLeadIn() {
    int first = chain(1, List.of());
    long outside = Long.parseLong(graph(first).nodes().get(0).job());
    WorkflowGraph graph =
        graph(chain(1, List.of(new WorkflowRequest.Outside(0, outside, null, "done", ""))));
    WorkflowGraph.Edge edge = graph.edges().get(0);
    assertEquals(
        new WorkflowGraph.Edge(null, Long.toString(outside), "k0", "done", null, false), edge);
    assertEquals(
        List.of(
            new WorkflowGraph.Outside(
                Long.toString(outside), "t", "ready", Integer.toString(first), "k0")),
        graph.outside());
    assertEquals("blocked", graph.nodes().get(0).state());
  }

  private WorkflowGraph graph(int workflow) {
    return graphs.findGraph(project, workflow, null).orElseThrow();
  }
}
