package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.schema.names.AdvisoryLocks;
import io.jobscheduler.schema.testing.Role;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs and dependencies that are added to a workflow, and gates that somebody opens. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class WorkflowGrowthHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String workflow;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "g" + UUID.randomUUID();
    project = admin.project(name);
    workflow =
        submit(
            "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]}");
  }

  private String submit(String jobs) {
    return admin
        .post(project + "/workflows", "{\"name\":\"w\",\"jobs\":[" + jobs + "]}")
        .status(201)
        .header("Location");
  }

  private ApiClient.Answer add(String body) {
    return admin.post(workflow + "/jobs", body);
  }

  private String state(String key) {
    return admin.get(workflow + "/jobs/" + key).status(200).json().path("state").asText();
  }

  private String edges() {
    List<String> edges = new ArrayList<>();
    admin
        .get(workflow + "/graph")
        .json()
        .path("edges")
        .forEach(e -> edges.add(e.path("from").asText() + e.path("to").asText()));
    return String.join(" ", edges.stream().sorted().toList());
  }

  @Test
  void jobsAndDependenciesJoinTheGraph() {
    JsonNode grown =
        add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"payload\":[1.50],\"dependsOn\":[\"a\",{\"key\":\"d\",\"on\":\"done\"}]},"
                + "{\"key\":\"d\",\"type\":\"t\"}],\"dependencies\":[{\"from\":\"d\",\"to\":\"b\"}]}")
            .status(201)
            .json();
    assertEquals(4, grown.path("jobs").asInt());
    assertEquals("ab ac db dc", edges());
    assertEquals("ready", state("d"));
    assertEquals("blocked", state("c"));
    assertTrue(admin.get(workflow + "/jobs/c").text().contains("[1.50]"));
    // Again: the keys are taken, so a request that is repeated adds nothing.
    assertEquals(
        List.of("/jobs/0/key"),
        add("{\"jobs\":[{\"key\":\"d\",\"type\":\"t\"}]}")
            .problem(422, "validation-failed")
            .pointers());
  }

  @Test
  void namesEveryBadKeyAndStoresNothing() {
    assertEquals(
        List.of("/dependencies/0/to", "/jobs/0/dependsOn/0", "/jobs/1/key"),
        add(
                "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[\"x\"]},{\"key\":\"a\",\"type\":\"t\"}],\"dependencies\":[{\"from\":\"a\",\"to\":\"y\"}]}")
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
    assertEquals(
        List.of("/jobs/0/queue"),
        add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"queue\":\"absent\"}]}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/jobs/0/dependsOn/0/job"),
        add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"999999999\"}]}]}")
            .problem(422, "validation-failed")
            .pointers());
    add("{}").problem(422, "validation-failed");
    assertEquals("ab", edges());
    assertEquals(2, admin.get(workflow).json().path("jobs").asInt());
  }

  @Test
  void aCycleThroughOldAndNewJobsIsRefusedAndNamed() {
    ApiClient.Answer answer =
        add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[\"b\"]}],\"dependencies\":[{\"from\":\"c\",\"to\":\"a\"}]}")
            .problem(422, "workflow-cycle");
    assertEquals("a → b → c → a", answer.json().path("detail").asText());
    add("{\"dependencies\":[{\"from\":\"b\",\"to\":\"b\"}]}").problem(422, "workflow-cycle");
    assertEquals("ab", edges());
  }

  /** The edge that is there would stay as it is, and the caller believe otherwise. */
  @Test
  void anEdgeThatIsThereOnAnotherOutcomeIsRefusedAndNamed() {
    add("{\"dependencies\":[{\"from\":\"a\",\"to\":\"b\"}]}").status(201);
    assertEquals(
        List.of("/dependencies/1", "/jobs/0/dependsOn/1/job"),
        add(
                "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[\"a\",{\"job\":\"%s\",\"on\":\"done\"}]}],\"dependencies\":[{\"from\":\"c\",\"to\":\"b\"},{\"from\":\"a\",\"to\":\"b\",\"on\":\"failure\"}]}"
                    .formatted(id("a")))
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
    assertEquals("ab", edges());
  }

  private String id(String key) {
    return admin.get(workflow + "/jobs/" + key).status(200).json().path("id").asText();
  }

  @Test
  void aCycleThroughAMemberThatIsNamedByItsIdIsRefused() {
    ApiClient.Answer answer =
        add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"%s\"}]}],\"dependencies\":[{\"from\":\"c\",\"to\":\"a\"}]}"
                .formatted(id("b")))
            .problem(422, "workflow-cycle");
    assertEquals("a → b → c → a", answer.json().path("detail").asText());
    assertEquals("ab", edges());
  }

  /** Neither of the two graphs holds a cycle of its own. */
  @Test
  void aCycleThroughAnotherWorkflowIsRefusedAndNamed() {
    String first = workflow;
    String b = id("b");
    workflow =
        submit(
            "{\"key\":\"x\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"%s\"}]},{\"key\":\"y\",\"type\":\"t\",\"dependsOn\":[\"x\"]},{\"key\":\"z\",\"type\":\"t\"}"
                .formatted(b));
    String x = id("x");
    String y = id("y");
    String z = id("z");
    workflow = first;
    String through =
        "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"%s\"}]}%s],"
            + "\"dependencies\":[{\"from\":\"c\",\"to\":\"a\"}]}";
    ApiClient.Answer answer = add(through.formatted(y, "")).problem(422, "workflow-cycle");
    assertEquals(
        "a → b → job " + x + " → job " + y + " → c → a", answer.json().path("detail").asText());
    assertEquals("ab", edges());
    // What waits outside for a job that gets no edge is in nobody's way.
    add(through.formatted(
            z, ",{\"key\":\"d\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"" + y + "\"}]}"))
        .status(201);
    // And one that was there before the edge that would close it.
    add("{\"dependencies\":[{\"from\":\"d\",\"to\":\"a\"}]}").problem(422, "workflow-cycle");
  }

  /** Two that reach back look at graphs of several workflows, so they do it one after the other. */
  @Test
  void anEdgeToAnOldJobWaitsForOthersThatAreBeingAdded() throws Exception {
    try (Connection owner =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL),
                Role.OWNER.databaseName(),
                Role.OWNER.password());
        Statement statement = owner.createStatement()) {
      owner.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock(%d, 0)".formatted(AdvisoryLocks.EDGES));
      // New jobs wait for older ones only: they need not.
      add("{\"jobs\":[{\"key\":\"d\",\"type\":\"t\",\"dependsOn\":[\"a\"]}]}").status(201);
      CompletableFuture<ApiClient.Answer> back =
          CompletableFuture.supplyAsync(
              () ->
                  add(
                      "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\"}],\"dependencies\":[{\"from\":\"c\",\"to\":\"b\"}]}"));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (ApiClient.value(
              "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %d AND NOT granted"
                  .formatted(AdvisoryLocks.EDGES))
          .equals("0")) {
        assertTrue(System.nanoTime() < deadline, "it does not wait");
      }
      owner.commit();
      back.get(20, TimeUnit.SECONDS).status(201);
    }
    assertEquals("ab ad cb", edges());
  }

  /** C099: each of the two looks at the whole graph, the second one at what the first has added. */
  @Test
  void twoAdditionsAtOnceCannotCloseACycle() throws Exception {
    for (int round = 0; round < 8; round++) {
      workflow =
          submit(
              "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"x\",\"type\":\"t\",\"dependsOn\":[\"a\"]},"
                  + "{\"key\":\"y\",\"type\":\"t\",\"dependsOn\":[\"a\"]}");
      CyclicBarrier both = new CyclicBarrier(2);
      List<CompletableFuture<Integer>> answers = new ArrayList<>();
      for (String edge :
          List.of("{\"from\":\"x\",\"to\":\"y\"}", "{\"from\":\"y\",\"to\":\"x\"}")) {
        answers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    both.await(10, TimeUnit.SECONDS);
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                  return add("{\"dependencies\":[" + edge + "]}").status();
                }));
      }
      List<Integer> statuses = new ArrayList<>();
      for (CompletableFuture<Integer> answer : answers) {
        statuses.add(answer.get(20, TimeUnit.SECONDS));
      }
      assertEquals(List.of(201, 422), statuses.stream().sorted().toList());
    }
  }

  @Test
  void whatHasStartedOrEndedTakesNoMore() {
    ApiClient.sql(
        "UPDATE jobs SET state = 'running', lease_token = nextval('lease_token_seq'), worker_id = 5,"
            + " attempt = 1, started_at = now() WHERE workflow_key = 'a' AND workflow_id = "
            + workflow.substring(workflow.lastIndexOf('/') + 1));
    add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\"}],\"dependencies\":[{\"from\":\"c\",\"to\":\"a\"}]}")
        .problem(409, "conflict");
    admin.post(workflow + "/cancel", "").status(202);
    add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\"}]}").problem(409, "conflict");
    ApiClient.sql("DELETE FROM jobs WHERE workflow_key = 'a' AND worker_id = 5");
    add("{\"jobs\":[{\"key\":\"c\",\"type\":\"t\"}]}").problem(409, "workflow-finished");
    String other = admin.project("o" + UUID.randomUUID());
    admin
        .post(
            other + workflow.substring(workflow.indexOf("/workflows")) + "/jobs",
            "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\"}]}")
        .problem(404, "not-found");
  }

  @Test
  void gatesAreListedAndOpenedFromOutside() {
    workflow =
        submit(
            "{\"key\":\"file\",\"gate\":{\"signal\":{\"name\":\"arrived\"}}},"
                + "{\"key\":\"ok\",\"gate\":{\"approval\":{\"expiresIn\":\"PT1H\"}}},"
                + "{\"key\":\"later\",\"gate\":{\"until\":\"2099-01-31T08:00:00Z\"}},"
                + "{\"key\":\"ask\",\"gate\":{\"approval\":{}},\"dependsOn\":[\"load\"]},"
                + "{\"key\":\"load\",\"type\":\"t\",\"dependsOn\":[\"file\",\"ok\"]}");
    List<String> gates = new ArrayList<>();
    admin
        .get(workflow + "/gates")
        .status(200)
        .json()
        .path("items")
        .forEach(
            g ->
                gates.add(
                    g.path("key").asText()
                        + " "
                        + g.path("kind").asText()
                        + " "
                        + g.path("open").asBoolean()
                        + " "
                        + g.path("signal").asText("")
                        + g.path("until").asText("")
                        + g.hasNonNull("expiresAt")));
    assertEquals(
        List.of(
            "ask approval false false",
            "file signal true arrivedfalse",
            "later time true 2099-01-31T08:00:00.000Zfalse",
            "ok approval true true"),
        gates.stream().sorted().toList());
    admin.post(workflow + "/signals/arrived", "{\"payload\":{\"n\":1.50}}").status(200);
    assertTrue(admin.get(workflow + "/jobs/file").text().contains("\"result\":{\"n\":1.50}"));
    assertEquals("blocked", state("load"));
    ApiClient operator = admin.member(name, "o" + UUID.randomUUID() + "@example.org", "operator");
    ApiClient viewer = admin.member(name, "v" + UUID.randomUUID() + "@example.org", "viewer");
    viewer.post(workflow + "/approvals/ok", "{\"decision\":\"approve\"}").problem(403, "forbidden");
    operator
        .post(workflow + "/approvals/ok", "{\"decision\":\"maybe\"}")
        .problem(422, "validation-failed");
    assertEquals(
        "{\"opened\":1}",
        operator
            .post(workflow + "/approvals/ok", "{\"decision\":\"approve\",\"comment\":\"fine\"}")
            .status(200)
            .text());
    assertEquals("ready", state("load"));
    operator.post(workflow + "/approvals/ok", "{\"decision\":\"reject\"}").problem(409, "conflict");
    operator
        .post(workflow + "/approvals/ask", "{\"decision\":\"reject\"}")
        .problem(409, "conflict");
    operator
        .post(workflow + "/approvals/load", "{\"decision\":\"reject\"}")
        .problem(404, "not-found");
    JsonNode kept = viewer.get(workflow + "/approvals").status(200).json().path("items");
    assertEquals(1, kept.size());
    assertEquals("fine", kept.path(0).path("comment").asText());
    assertEquals("approve", kept.path(0).path("decision").asText());
    assertTrue(kept.path(0).path("by").asText().startsWith("o"));
  }
}
