package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class WorkflowsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("w" + UUID.randomUUID());
  }

  private ApiClient.Answer submit(String jobs) {
    return admin.post(project + "/workflows", "{\"name\":\"w\",\"jobs\":[" + jobs + "]}");
  }

  private static String job(String key, String dependsOn) {
    return "{\"key\":\"" + key + "\",\"type\":\"t\",\"dependsOn\":[" + dependsOn + "]}";
  }

  private void assertNothingStored() {
    assertEquals(0, admin.get(project + "/workflows").json().path("count").path("value").asInt());
    assertEquals(0, admin.get(project + "/jobs").json().path("count").path("value").asInt());
  }

  /** The depth-first search at work: without it this graph is stored and never ends. */
  @Test
  void refusesACycleAndNamesIt() {
    ApiClient.Answer answer =
        submit(
                job("start", "")
                    + ","
                    + job("a", "\"start\",\"c\"")
                    + ","
                    + job("b", "\"a\"")
                    + ","
                    + job("c", "{\"key\":\"b\",\"on\":\"done\"}"))
            .problem(422, "workflow-cycle");
    assertEquals("a → b → c → a", answer.json().path("detail").asText());
    assertEquals("[\"a\",\"b\",\"c\",\"a\"]", answer.json().path("cycle").toString());
    assertNothingStored();
  }

  @Test
  void storesNothingOfAWorkflowWithOneBadJob() {
    assertEquals(
        List.of("/jobs/1/queue"),
        submit(job("a", "") + ",{\"key\":\"b\",\"type\":\"t\",\"queue\":\"absent\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/jobs/0/dependsOn/0", "/jobs/1/key"),
        submit(job("a", "\"x\"") + "," + job("a", ""))
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
    assertNothingStored();
  }

  @Test
  void showsWhatWasSubmitted() {
    ApiClient.Answer created = submit(job("a", "") + "," + job("b", "\"a\"")).status(201);
    JsonNode workflow = admin.get(created.header("Location")).status(200).json();
    assertEquals(created.json(), workflow);
    assertEquals("running", workflow.path("state").asText());
    assertEquals(1, workflow.path("counts").path("blocked").asInt());
    JsonNode graph = admin.get(created.header("Location") + "/graph").status(200).json();
    assertEquals(
        "[{\"from\":\"a\",\"fromJob\":null,\"to\":\"b\",\"on\":\"success\",\"outcome\":null,\"met\":false}]",
        graph.path("edges").toString());
    assertEquals("ready", graph.path("nodes").path(0).path("state").asText());
    String id = workflow.path("id").asText();
    JsonNode jobs = admin.get(project + "/jobs?workflow=" + id + "&state=blocked").json();
    assertEquals("b", jobs.path("items").path(0).path("workflowKey").asText());
    assertEquals(id, jobs.path("items").path(0).path("workflow").asText());
  }

  private ApiClient.Answer enqueue(String path) {
    return admin.post(path + "/jobs", "{\"type\":\"t\"}").status(201);
  }

  private static String id(ApiClient.Answer answer) {
    return answer.json().path("id").asText();
  }

  /** Field case C099: each kind of bad graph, and nothing of it is stored. */
  @Test
  void refusesBadGraphsWhole() {
    String valid = job("x", "") + "," + job("y", "\"x\"") + ",";
    assertEquals(
        "a → a",
        submit(job("a", "\"a\"")).problem(422, "workflow-cycle").json().path("detail").asText());
    assertEquals(
        "[\"a\",\"b\",\"a\"]",
        submit(job("a", "\"b\"") + "," + job("b", "\"a\""))
            .problem(422, "workflow-cycle")
            .json()
            .path("cycle")
            .toString());
    assertEquals(
        "a → b → c → a",
        submit(valid + job("a", "\"c\"") + "," + job("b", "\"a\"") + "," + job("c", "\"b\""))
            .problem(422, "workflow-cycle")
            .json()
            .path("detail")
            .asText());
    assertEquals(
        List.of("/jobs/2/dependsOn/0", "/jobs/3/key"),
        submit(valid + job("a", "\"missing\"") + "," + job("x", ""))
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
    assertEquals(List.of("/jobs"), submit("").problem(422, "validation-failed").pointers());
    assertNothingStored();
  }

  /** Field case C099. */
  @Test
  void countsADuplicateEdgeOnceAndTakesSeveralComponents() {
    JsonNode workflow =
        submit(job("a", "") + "," + job("b", "\"a\",\"a\"") + "," + job("alone", ""))
            .status(201)
            .json();
    JsonNode graph =
        admin.get(project + "/workflows/" + workflow.path("id").asText() + "/graph").json();
    assertEquals(1, graph.path("edges").size());
    assertEquals(3, graph.path("nodes").size());
  }

  /** Field case C099: another project's job is no better known than one that never was. */
  @Test
  void refusesAnEdgeToAnotherProjectsJob() {
    String other = id(enqueue(admin.project("o" + UUID.randomUUID())));
    List<String> details = new ArrayList<>();
    for (String parent : List.of(other, "999999999")) {
      ApiClient.Answer answer =
          submit(job("a", "") + "," + job("b", "\"a\",{\"job\":\"" + parent + "\"}"))
              .problem(422, "validation-failed");
      assertEquals(List.of("/jobs/1/dependsOn/1/job"), answer.pointers());
      details.add(answer.json().path("detail").asText());
    }
    assertEquals(details.get(0), details.get(1));
    assertNothingStored();
  }

  @Test
  void waitsForJobsOfEarlierWorkflowsAndForSingleOnes() {
    String single = id(enqueue(project));
    String earlier = id(submit(job("a", "")).status(201));
    String member =
        admin
            .get(project + "/workflows/" + earlier + "/graph")
            .json()
            .path("nodes")
            .path(0)
            .path("job")
            .asText();
    String later =
        id(
            submit(
                    job(
                        "b",
                        "{\"job\":\""
                            + single
                            + "\"},{\"job\":\""
                            + member
                            + "\",\"on\":\"failure\"}"))
                .status(201));
    String graph = project + "/workflows/" + later + "/graph";
    assertEquals("blocked", admin.get(graph).json().path("nodes").path(0).path("state").asText());
    // The first edge can no longer be met.
    admin.post(project + "/jobs/" + single + "/cancel", "").status(200);
    JsonNode after = admin.get(graph).json();
    assertEquals("skipped", after.path("nodes").path(0).path("state").asText());
    assertEquals("cancelled", after.path("edges").path(0).path("outcome").asText());
    assertEquals(single, after.path("edges").path(0).path("fromJob").asText());
    assertEquals(2, after.path("outside").size());
  }

  /** A job outside workflows, too, may wait: for its parents and then for its instant. */
  @Test
  void aSingleJobWaitsForOthersAndForItsInstant() {
    String parent = id(enqueue(project));
    ApiClient.Answer created =
        admin
            .post(
                project + "/jobs",
                "{\"type\":\"t\",\"delay\":\"PT1H\",\"dependsOn\":[\""
                    + parent
                    + "\",{\"job\":\""
                    + parent
                    + "\"}]}")
            .status(201);
    assertEquals("blocked", created.json().path("state").asText());
    assertEquals(
        "[{\"job\":\""
            + parent
            + "\",\"key\":null,\"on\":\"success\",\"outcome\":null,\"met\":false}]",
        created.json().path("dependsOn").toString());
    assertEquals(created.json(), admin.get(created.header("Location")).json());
    admin.post(project + "/jobs/" + parent + "/cancel", "").status(200);
    assertEquals("skipped", admin.get(created.header("Location")).json().path("state").asText());
    // The parent has ended: what waits for any end of it waits for its own instant, or for nothing.
    String done = "\"dependsOn\":[{\"job\":\"" + parent + "\",\"on\":\"done\"}]}";
    assertEquals(
        "scheduled",
        admin
            .post(project + "/jobs", "{\"type\":\"t\",\"delay\":\"PT1H\"," + done)
            .status(201)
            .json()
            .path("state")
            .asText());
    JsonNode items =
        admin
            .post(project + "/jobs/bulk", "[{\"type\":\"t\"," + done + ",{\"type\":\"t\"}]")
            .status(201)
            .json()
            .path("items");
    assertEquals("ready", items.path(0).path("state").asText());
    assertEquals("ready", items.path(1).path("state").asText());
  }

  @Test
  void aSingleJobNamesEachJobThatItCannotWaitFor() {
    String other = id(enqueue(admin.project("o" + UUID.randomUUID())));
    int before = admin.get(project + "/jobs").json().path("count").path("value").asInt();
    assertEquals(
        List.of("/dependsOn/0", "/dependsOn/1/job"),
        admin
            .post(
                project + "/jobs",
                "{\"type\":\"t\",\"dependsOn\":[\"" + other + "\",{\"job\":\"999999999\"}]}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/1/dependsOn/0"),
        admin
            .post(
                project + "/jobs/bulk",
                "[{\"type\":\"t\"},{\"type\":\"t\",\"dependsOn\":[\"" + other + "\"]}]")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(before, admin.get(project + "/jobs").json().path("count").path("value").asInt());
  }

  @Test
  void showsWhatParentsLeftToWhoMaySeePayloads() {
    JsonNode graph =
        admin
            .get(
                project
                    + "/workflows/"
                    + id(
                        submit(job("a", "") + "," + job("b", "") + "," + job("c", "\"a\",\"b\""))
                            .status(201))
                    + "/graph")
            .json();
    String a = graph.path("nodes").path(0).path("job").asText();
    String path = project + "/jobs/" + graph.path("nodes").path(2).path("job").asText() + "/inputs";
    ApiClient.sql(
        "SELECT * FROM move_to_finished(ARRAY[%s], '{succeeded}', NULL, ARRAY['{\"n\":1.0}'], NULL, NULL, NULL, NULL);"
                .formatted(a)
            + " UPDATE dependencies SET outcome = 'succeeded' WHERE parent_id = "
            + a);
    JsonNode items = admin.get(path).status(200).json().path("items");
    assertEquals("a succeeded {\"n\":1.0} null", input(items.path(0)));
    assertEquals("b null null none", input(items.path(1)));
    String name = project.substring(project.lastIndexOf('/') + 1);
    ApiClient blind = admin.member(name, "v" + UUID.randomUUID() + "@x.org", "viewer");
    ApiClient.sql("UPDATE project_members SET payload_visible = false WHERE role = 'viewer'");
    assertEquals(
        "a succeeded null hidden", input(blind.get(path).status(200).json().path("items").path(0)));
    ApiClient.sql("DELETE FROM finished_jobs WHERE id = " + a);
    assertEquals(
        "a succeeded null gone", input(admin.get(path).status(200).json().path("items").path(0)));
    String elsewhere = admin.project("o" + UUID.randomUUID());
    admin.get(elsewhere + path.substring(project.length())).problem(404, "not-found");
  }

  private static String input(JsonNode item) {
    return item.path("key").asText()
        + " "
        + item.path("outcome").asText()
        + " "
        + item.path("result")
        + " "
        + item.path("missing").asText();
  }

  @Test
  void plansWithoutStoring() {
    String body =
        "{\"name\":\"w\",\"jobs\":["
            + "{\"key\":\"a\",\"type\":\"t\",\"expectedDuration\":\"PT2S\"},"
            + "{\"key\":\"b\",\"type\":\"t\",\"expectedDuration\":\"PT3S\",\"dependsOn\":[\"a\"]},"
            + "{\"key\":\"c\",\"type\":\"t\"}]}";
    JsonNode plan = admin.post(project + "/workflows/plan?slots=1", body).status(200).json();
    assertEquals("PT6S", plan.path("expectedMakespan").asText());
    assertEquals("PT5S", plan.path("criticalPath").path("length").asText());
    assertEquals("[\"a\",\"b\"]", plan.path("criticalPath").path("keys").toString());
    assertEquals(2, plan.path("levels").asInt());
    assertEquals(2, plan.path("clusters").asInt());
    assertEquals("PT6S", plan.path("totalWork").asText());
    assertEquals(
        List.of("?slots"),
        admin
            .post(project + "/workflows/plan?slots=0", body)
            .problem(422, "validation-failed")
            .pointers());
    admin
        .post(project + "/workflows/plan", "{\"name\":\"w\",\"jobs\":[" + job("a", "\"a\"") + "]}")
        .problem(422, "workflow-cycle");
    assertNothingStored();
  }

  @Test
  void keepsKindDeadlineAndCallbacks() {
    JsonNode workflow =
        admin
            .post(
                project + "/workflows",
                "{\"name\":\"nightly\",\"kind\":\"batch\",\"deadline\":\"2099-01-01T00:00:00Z\",\"callbacks\":"
                    + "{\"onSuccess\":{\"type\":\"tell\",\"payload\":{\"id\":\"{{workflowId}}\",\"n\":1.0}}},"
                    + "\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}")
            .status(201)
            .json();
    assertEquals("batch", workflow.path("kind").asText());
    assertEquals("2099-01-01T00:00:00.000Z", workflow.path("deadline").asText());
    assertEquals(0, workflow.path("progress").asDouble());
    assertEquals(
        "[{\"event\":\"success\",\"firedAt\":null,\"job\":null}]",
        workflow.path("callbacks").toString());
    assertEquals(
        List.of("/callbacks/onCompletion/queue"),
        admin
            .post(
                project + "/workflows",
                "{\"name\":\"w\",\"callbacks\":{\"onCompletion\":{\"type\":\"t\",\"queue\":\"absent\"}},"
                    + "\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}")
            .problem(422, "validation-failed")
            .pointers());
    JsonNode list = admin.get(project + "/workflows?name=nightly&state=running").json();
    assertEquals(workflow.path("id"), list.path("items").path(0).path("id"));
    assertEquals(0, admin.get(project + "/workflows?state=held").json().path("items").size());
    admin.get(project + "/workflows?state=odd").problem(422, "validation-failed");
    admin.get(project + "/workflows/1/graph?since=x").problem(422, "validation-failed");
  }
}
