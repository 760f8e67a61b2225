package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.jobs.JobOptions;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SubmitStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private SubmitStore submits;
  private WorkflowStore store;
  private GraphStore graphs;
  private WorkflowLists lists;
  private int project;

  @BeforeEach
  void open() {
    submits = new SubmitStore(TestProjects.api(database));
    store = new WorkflowStore(TestProjects.api(database));
    graphs = new GraphStore(TestProjects.api(database));
    lists = new WorkflowLists(TestProjects.api(database), new WorkflowListStore(), store);
    project = TestProjects.create(database, "p");
  }

  private static WorkflowRequest.Member member(String key, String queue) {
    return new WorkflowRequest.Member(
        key, new JobRequest("t", queue, "{\"k\":1.0}", 6, null, null, 5, null, JobOptions.NONE));
  }

  /** a → b, a → c (on done), b → d, c → d. */
  private static WorkflowRequest diamond(String queueOfD) {
    return new WorkflowRequest(
        "diamond",
        "hold",
        List.of(
            member("a", "default"),
            member("b", "default"),
            member("c", "default"),
            member("d", queueOfD)),
        List.of(
            new WorkflowRequest.Edge(0, 1, "success"),
            new WorkflowRequest.Edge(0, 2, "done"),
            new WorkflowRequest.Edge(1, 3, "success"),
            new WorkflowRequest.Edge(2, 3, "failure")));
  }

  private static WorkflowGraph.Edge edge(String from, String to, String on) {
    return new WorkflowGraph.Edge(from, null, to, on, null, false);
  }

  private SubmitStore.Submitted submitted(WorkflowRequest request) {
    return assertInstanceOf(SubmitStore.Accepted.class, submits.submit(project, request))
        .workflow();
  }

  @Test
  void storesGraphFlagsAndKeys() {
    SubmitStore.Submitted stored = submitted(diamond("default"));
    assertEquals(
        "a:ready:false:true b:blocked:true:true c:blocked:true:true d:blocked:true:false",
        database.sql(
            "SELECT string_agg(workflow_key || ':' || state || ':' || has_dependencies || ':' ||"
                + " has_dependents, ' ' ORDER BY id) FROM jobs"));
    // The submission less 60 s x rank: three jobs lie one after the other.
    assertEquals(
        "a=60 b=40 c=40 d=20",
        database.sql(
            "SELECT string_agg(workflow_key || '=' || (micros(w.created_at) - dispatch_key) / 1000000,"
                + " ' ' ORDER BY j.id) FROM jobs j JOIN workflows w ON w.id = j.workflow_id"
                + " WHERE dispatch_lane = 6"));
    Workflow workflow = store.findWorkflow(project, stored.id()).orElseThrow();
    assertEquals("running", workflow.state());
    assertEquals("hold", workflow.onFailure());
    assertEquals(Map.of("ready", 1L, "blocked", 3L), workflow.counts());
    WorkflowGraph graph = graphs.findGraph(project, stored.id(), null).orElseThrow();
    assertEquals(
        List.of("a", "b", "c", "d"), graph.nodes().stream().map(WorkflowGraph.Node::key).toList());
    assertEquals(
        List.of(
            edge("a", "b", "success"),
            edge("a", "c", "done"),
            edge("b", "d", "success"),
            edge("c", "d", "failure")),
        graph.edges());
  }

  /** Fails when ranks leave run times out: then it is the root with the longer chain. */
  @Test
  void theRootWithTheMostWorkBehindItIsClaimedFirst() {
    database.sql(
        "INSERT INTO job_statistics (project_id, span, starts_at, queue_id, type, succeeded, dead,"
            + " cancelled, skipped, expired, failed_attempts, lost_attempts, wait_histogram,"
            + " run_histogram) SELECT "
            + project
            + ", 86400, span_start(clock_timestamp(), 86400), 1, t.type, 1, 0, 0, 0, 0, 0, 0, '{}',"
            + " array_fill(0::bigint, ARRAY[t.bucket]) || 1::bigint"
            + " FROM (VALUES ('short', 10), ('long', 40)) AS t (type, bucket)");
    submitted(
        new WorkflowRequest(
            "w",
            "cancel",
            List.of(
                typed("chain1", "short"),
                typed("chain2", "short"),
                typed("chain3", "short"),
                typed("root", "short"),
                typed("behind", "long")),
            List.of(
                new WorkflowRequest.Edge(0, 1, "success"),
                new WorkflowRequest.Edge(1, 2, "success"),
                new WorkflowRequest.Edge(3, 4, "success"))));

    assertEquals(
        "root",
        database.sql(
            "SELECT m.key FROM claim(1, 1, ARRAY[(SELECT id FROM queues LIMIT 1)],"
                + " ARRAY[1], ARRAY[array_fill(0::bigint, ARRAY[10])],"
                + " ARRAY[array_fill(0::bigint, ARRAY[10])]) c"
                + " JOIN workflow_members m ON m.job_id = c.id"));
  }

  private static WorkflowRequest.Member typed(String key, String type) {
    return new WorkflowRequest.Member(
        key, new JobRequest(type, "default", null, 4, null, null, 5, null, JobOptions.NONE));
  }

  @Test
  void storesNothingWhenOneQueueIsUnknown() {
    assertInstanceOf(SubmitStore.UnknownQueue.class, submits.submit(project, diamond("nowhere")));
    for (String table : List.of("workflows", "jobs", "workflow_members", "dependencies")) {
      assertEquals("0", database.sql("SELECT count(*) FROM " + table), table);
    }
  }

  @Test
  void aWorkerGetsTheRootAndNothingElse() {
    submitted(diamond("default"));
    assertEquals(
        "a",
        database.sql(
            "SELECT string_agg(m.key, ',') FROM claim(1, 1, ARRAY[(SELECT id FROM queues LIMIT 1)],"
                + " ARRAY[10], ARRAY[array_fill(0::bigint, ARRAY[10])],"
                + " ARRAY[array_fill(0::bigint, ARRAY[10])]) c"
                + " JOIN workflow_members m ON m.job_id = c.id"));
  }

  @Test
  void anotherProjectSeesNothingOfIt() {
    int id = submitted(diamond("default")).id();
    int other = TestProjects.create(database, "other");
    assertTrue(store.findWorkflow(other, id).isEmpty());
    assertTrue(graphs.findGraph(other, id, null).isEmpty());
    assertEquals(List.of(), lists.list(other, WorkflowFilter.ALL, null, 10).items());
  }

  @Test
  void listsNewestFirst() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(0, Integer.toString(submitted(diamond("default")).id()));
    }
    Page<Workflow> first = lists.list(project, WorkflowFilter.ALL, null, 2);
    assertEquals(ids.subList(0, 2), first.items().stream().map(Workflow::id).toList());
    assertEquals(
        ids.subList(2, 3),
        lists.list(project, WorkflowFilter.ALL, first.nextCursor(), 2).items().stream()
            .map(Workflow::id)
            .toList());
  }

  /** Field case C102: held up between its jobs and its members, then lost with its connection. */
  @Test
  void nothingOfAHalfStoredWorkflowIsSeenOrClaimedOrStays() throws Exception {
    try (Connection holder = database.connect(Role.OWNER)) {
      holder.setAutoCommit(false);
      holder
          .createStatement()
          .execute("LOCK TABLE jobs.workflow_members IN SHARE ROW EXCLUSIVE MODE");
      CompletableFuture<SubmitStore.Outcome> submission =
          CompletableFuture.supplyAsync(() -> submits.submit(project, diamond("default")));
      String waiting =
          "SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
              + " WHERE NOT l.granted AND d.datname = current_database()";
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      String pid = database.sql(waiting);
      while (pid == null) {
        assertTrue(System.nanoTime() < end, "the submission does not wait");
        pid = database.sql(waiting);
      }
      assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
      assertEquals(
          "0",
          database.sql(
              "SELECT count(*) FROM claim(1, 1, ARRAY[(SELECT id FROM queues LIMIT 1)], ARRAY[10],"
                  + " ARRAY[array_fill(0::bigint, ARRAY[10])], ARRAY[array_fill(0::bigint, ARRAY[10])])"));
      try (Connection superuser = database.superuser()) {
        superuser.createStatement().execute("SELECT pg_terminate_backend(" + pid + ")");
      }
      assertThrows(ExecutionException.class, () -> submission.get(30, TimeUnit.SECONDS));
      holder.rollback();
    }
    for (String table : List.of("workflows", "jobs", "workflow_members", "dependencies")) {
      assertEquals("0", database.sql("SELECT count(*) FROM " + table), table);
    }
  }
}
